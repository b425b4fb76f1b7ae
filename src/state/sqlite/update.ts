/**
 * One step of one context, inside a transaction that the caller holds: what was before is read, the step runs, what it gives
 * is written.
 */
import type { ContextState } from '../../core/context.ts'
import type { ContextId, DeliveryId, Millis, SessionId } from '../../core/id.ts'
import type { CandidateRow, ClaimRow, GateRow } from '../../core/row.ts'
import type { ThreadState } from '../../host.ts'
import { STATE_CURES, StateError, type Before, type ObedienceRow, type Step } from '../../state.ts'
import { contextFrom, threadFrom } from './decode.ts'
import type { Statements } from './statements.ts'

type MomentStep = NonNullable<Step<unknown>['moment']>

export interface At {
  readonly context: ContextId
  readonly session: SessionId
  readonly delivery?: DeliveryId
}

export interface Updated<T> {
  /** What the step gave. */
  readonly step: Step<T>
  /** False if the moment was a repeated one: then nothing was written. */
  readonly isWritten: boolean
  /** The claims that got their verdict now. */
  readonly judged: readonly ClaimRow[]
}

export function update<T>(statements: Statements, at: At, now: Millis, step: (before: Before) => Step<T>): Updated<T> {
  const after = step({
    context: readContext(statements, at.context),
    thread: readThread(statements, at.session),
    replay: at.delivery === undefined ? null : readReplay(statements, at.delivery),
  })
  const moment = after.moment === undefined ? null : addMoment(statements, after.moment)
  if (moment === 'repeated') return { step: after, isWritten: false, judged: [] }

  if (after.context !== undefined) putContext(statements, at, after.context, moment)
  if (after.thread !== undefined) putThread(statements, at.session, after.thread, after.moment, now)
  const judged = (after.claims ?? []).filter((row) => isJudgedNow(statements, row))
  addGates(statements, moment, after.gates ?? [])
  putObedience(statements, at.context, after.obedience ?? [])
  return { step: after, isWritten: true, judged }
}

/** Contexts that are remembered, of one opened file: parsing a busy one again and again costs more than all else. */
const MOST_REMEMBERED = 256
/** By the statements of an opened file: one that is opened anew has others, and remembers nothing. */
const remembered = new WeakMap<Statements, Map<ContextId, ContextState>>()

/** Nothing of what was remembered counts: a transaction was rolled back, or rows were deleted. */
export function forgetRemembered(statements: Statements): void {
  remembered.delete(statements)
}

function remember(statements: Statements, context: ContextId, state: ContextState): void {
  let kept = remembered.get(statements)
  if (kept === undefined) {
    kept = new Map()
    remembered.set(statements, kept)
  }
  kept.delete(context)
  kept.set(context, state)
  const oldest = kept.keys().next().value
  if (kept.size > MOST_REMEMBERED && oldest !== undefined) kept.delete(oldest)
}

export function readContext(statements: Statements, context: ContextId): ContextState | null {
  const known = remembered.get(statements)?.get(context)
  if (known !== undefined) return known
  const found = readContextRow(statements, context)
  if (found !== null) remember(statements, context, found)
  return found
}

function readContextRow(statements: Statements, context: ContextId): ContextState | null {
  const row = statements.contextState.get(context)
  return row === undefined ? null : readable(contextFrom(row['state']), `context ${context}`)
}

function readThread(statements: Statements, session: SessionId): ThreadState | null {
  const row = statements.threadState.get(session)
  return row === undefined ? null : readable(threadFrom(row['state']), `the thread of session ${session}`)
}

/** What can't be read was changed by other hands; it stops its own session and no other. */
function readable<T>(found: T | null, of: string): T {
  if (found !== null) return found
  throw new StateError('failed', `The row of ${of} in the state file can't be read. ${STATE_CURES.failed}`)
}

function readReplay(statements: Statements, delivery: DeliveryId): Before['replay'] {
  const row = statements.answerOf.get(delivery)
  return row === undefined ? null : { answer: row['answer'] === null ? null : String(row['answer']) }
}

function putContext(statements: Statements, at: At, state: ContextState, moment: number | null): void {
  statements.putContext.run(at.context, at.session, JSON.stringify(state), state.claims.length, moment, state.seenAt)
  remember(statements, at.context, state)
}

/** The thread's counters grow with the moment, so that listing threads reads no log. */
function putThread(statements: Statements, session: SessionId, thread: ThreadState, moment: MomentStep | undefined, now: Millis): void {
  const counts = moment === undefined ? [0, 0, 0] : [1, moment.outcome === 'denied' ? 1 : 0, moment.bytes]
  statements.putThread.run(session, JSON.stringify(thread), now, thread.thread, thread.runs, ...counts)
}

/** Gives the row's number; `repeated` if the delivery stands in the log already (T1). */
function addMoment(statements: Statements, row: MomentStep): number | 'repeated' {
  const { candidates, ms, holdout, ...columns } = row
  const times = { ms_total: ms.total, ms_match: ms.match, ms_evidence: ms.evidence }
  const added = statements.addMoment.run({ ...columns, ...times, holdout: Number(holdout ?? false) })
  if (added.changes === 0) return 'repeated'
  const number = Number(added.lastInsertRowid)
  candidates.forEach((candidate, position) => addCandidate(statements, number, position, candidate))
  return number
}

function addCandidate(statements: Statements, moment: number, position: number, row: CandidateRow): void {
  statements.addCandidate.run(moment, position, row.entry, row.entryHash, row.outcome, row.claim, row.lane, row.bytes, row.item)
}

/** False if the claim had its verdict, or its row is gone. */
function isJudgedNow(statements: Statements, row: ClaimRow): boolean {
  return statements.judgeClaim.run(row.verdict, row.why, row.at, row.claim).changes > 0
}

/** A gate that lifts between two moments, by evidence or by hand, is told with the last moment of its context. */
function addGates(statements: Statements, moment: number | null, rows: readonly GateRow[]): void {
  for (const row of rows) {
    const told = moment ?? statements.lastMomentOf.get(row.context)?.['last_moment'] ?? null
    statements.addGate.run(told, row.context, row.entry, row.lift, row.at)
  }
}

function putObedience(statements: Statements, context: ContextId, rows: readonly ObedienceRow[]): void {
  for (const row of rows) statements.putObedience.run(row.claim, row.entry, row.run, context, row.verdict, row.at)
}
