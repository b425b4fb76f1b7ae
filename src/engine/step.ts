/** The one step that decides about a moment, inside one transaction of the state. */
import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { newContext, type ContextState } from '../core/context.ts'
import { decide, type Decision } from '../core/decide.ts'
import type { Entry } from '../core/entry.ts'
import { id, type DeliveryId, type EntryId, type Millis, type RunId } from '../core/id.ts'
import type { Moment } from '../core/moment.ts'
import { judgeObedience } from '../core/obey.ts'
import { observe, type Observation } from '../core/observe.ts'
import type { MomentOutcome } from '../core/outcome.ts'
import type { Profile } from '../core/profile.ts'
import { moveRun } from '../core/move-run.ts'
import { NOTHING } from '../core/reply.ts'
import { rollBack } from '../core/rollback.ts'
import { expire } from '../core/settle.ts'
import type { Harness, HookAnswer } from '../harness.ts'
import { JOININGS, type Host } from '../host.ts'
import type { Matched, Subject } from '../match/match.ts'
import type { Before, MomentRow, Step } from '../state.ts'
import { conductsOf } from './conduct.ts'
import { hashOf } from './hash.ts'
import { isHeldOut } from './holdout.ts'
import { ANSWERS_KEPT_MS } from './retention.ts'
import { hasShown } from './look-questions.ts'
import { owing, type Triggers } from './triggers.ts'

/** All that was found out about a moment before its step. */
export interface Asked {
  readonly harness: Harness
  readonly profile: Profile
  readonly host: Host
  readonly moment: Moment
  readonly delivery: DeliveryId
  readonly matched: Matched
  readonly seen: Omit<Observation, 'run'>
  readonly pack: Triggers
  /** Entries by id, as the stores hold them. */
  readonly entries: ReadonlyMap<EntryId, Entry>
  readonly subject: Subject
  readonly holdoutSalt: string
  readonly noteOf: (entry: Entry) => string
  readonly isOff: boolean
  readonly now: Millis
  /** Size of the records: proof stands behind this. */
  readonly recordsFrom: number
  /** Monotonic clock when the request arrived. */
  readonly arrived: number
  readonly ms: { readonly match: number; readonly evidence: number }
}

export interface Answered {
  readonly answer: HookAnswer
  /** It was answered before: nothing was written (law 4). */
  readonly isRepeated: boolean
  /** Something waits for proof: the records are to be looked at soon. */
  readonly isOpen: boolean
  /** Entries whose notes must be written before the answer goes out. */
  readonly notes: readonly Entry[]
}

/** Null where the delivery was answered so long ago that the answer is not kept any more: it is another one that bears its id. */
export function stepOf(before: Before, asked: Asked): Step<Answered | null> {
  const { moment, now } = asked
  if (before.replay !== null) {
    if (now - before.replay.at > ANSWERS_KEPT_MS) return { result: null }
    // the answer was written by the renderer, as JSON, into our own state
    return { result: { answer: keptAnswer(before.replay.answer), isRepeated: true, isOpen: false, notes: [] } }
  }

  const { joining, thread, rolledBack = NO_RUNS } = asked.host.join(moment, before.thread, before.parent)
  const run = 'run' in joining ? joining.run : null
  const kept = before.context ?? newContext(moment.context, now)
  const moved = thread?.moved === undefined ? kept : moveRun(kept, thread.moved.from, thread.moved.to)
  const rolled = rollBack(moved, rolledBack, now)
  const expired = expire(rolled.context, now)
  const holdout = 'thread' in joining && isHeldOut(joining.thread, asked.holdoutSalt)
  const observed = observe(expired.context, moment, { ...asked.seen, run: run ?? id<RunId>('') })
  const decision: Decision =
    run === null || asked.isOff
      ? { context: run === null ? owing(observed.context, moment) : observed.context, reply: NOTHING, rows: [], notes: [] }
      : decide(observed.context, {
          moment,
          candidates: asked.matched.candidates,
          carried: asked.entries,
          profile: asked.profile,
          run,
          delivery: asked.delivery,
          mark: newMark(),
          packAsked: asked.pack.isPack,
          holdout,
          now,
          recordsFrom: asked.recordsFrom,
          hashOf,
          noteOf: asked.noteOf,
        })
  // a moment without a run says nothing about a run's texts
  const obeyed =
    run === null
      ? { context: decision.context, rows: [] }
      : judgeObedience(
          decision.context,
          decision.reply.kind === 'deny' || asked.isOff
            ? new Map()
            : conductsOf(decision.context, asked.entries, asked.subject, asked.matched),
          moment.kind === 'stop' || moment.kind === 'subagent-stop' || moment.kind === 'session-end' ? null : run,
          now,
        )
  const answer = asked.harness.render(decision.reply, moment)
  const row: MomentRow = {
    delivery: asked.delivery,
    context: moment.context,
    harness: moment.harness,
    version: moment.version ?? null,
    session: moment.session,
    thread: 'thread' in joining ? joining.thread : null,
    run,
    joining: joining.state,
    holdout,
    kind: moment.kind,
    event: moment.event,
    tool: 'call' in moment ? moment.call.tool : null,
    seq: decision.context.seq,
    epoch: decision.context.epoch,
    wave: decision.context.wave.number,
    outcome: outcomeOf(asked, decision),
    // nothing was served because of it
    why: asked.matched.notAnalysed ?? (run === null ? JOININGS[joining.state] : null),
    // wherever the harness has its place for it: beside a deny, or inside its reason
    bytes: decision.rows.reduce((sum, row) => sum + row.bytes, 0),
    at: now,
    ms: { ...asked.ms, total: performance.now() - asked.arrived },
  }
  return {
    context: obeyed.context,
    obedience: obeyed.rows,
    ...(thread === null ? {} : { thread }),
    moment: { ...row, candidates: decision.rows, answer: answer.status === 200 ? JSON.stringify(answer) : null },
    claims: expired.claims,
    gates: [...rolled.gates, ...expired.gates, ...observed.gates],
    result: { answer, isRepeated: false, isOpen: isOpen(moment, decision.context), notes: decision.notes },
  }
}

const NO_RUNS: ReadonlySet<RunId> = new Set()

const MARK_LENGTH = 10

/** Random hex digits, of the part of an id that is random throughout: Node keeps some of those ready. */
function newMark(): string {
  return randomUUID().replace('-', '').slice(0, MARK_LENGTH)
}

function keptAnswer(answer: string | null): HookAnswer {
  return answer === null ? { status: 204 } : (JSON.parse(answer) as HookAnswer)
}

function outcomeOf(asked: Asked, decision: Decision): MomentOutcome {
  if (asked.isOff) return 'off'
  if (decision.reply.kind === 'deny') return 'denied'
  if (decision.reply.kind === 'serve') return 'served'
  return asked.matched.notAnalysed === null ? 'nothing' : 'not_analysed'
}

/** Something waits for proof, or may have been taken back: a prompt is where a rewind shows. */
function isOpen(moment: Moment, context: ContextState): boolean {
  return context.claims.length > 0 || context.unscanned || (moment.kind === 'prompt' && hasShown(context))
}
