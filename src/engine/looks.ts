/**
 * Looks into the harness's records: in the background after each moment, and in a request only where its decision hangs on one.
 *
 * Facts come in, the core judges them, the log is completed in place.
 */
import { performance } from 'node:perf_hooks'
import type { ContextState } from '../core/context.ts'
import type { CallId, ContextId, Millis, SessionId } from '../core/id.ts'
import type { Fact } from '../core/fact.ts'
import { judge } from '../core/judge.ts'
import { expire } from '../core/settle.ts'
import type { Watch } from '../core/watch.ts'
import type { Evidence } from '../evidence/reader.ts'
import { FROM_END } from '../evidence/records-file.ts'
import type { Harness } from '../harness.ts'
import type { Host } from '../host.ts'
import type { State, Step } from '../state.ts'
import type { GateFiles } from './gate-files.ts'
import { factsWithHost, hopeless, NOTHING_TOLD } from './host-facts.ts'
import { isWithoutRecords, wantsLook, watchOf } from './look-questions.ts'
import { missedCause } from './missed-cause.ts'
import { Pauses, RETRY_MS } from './pauses.ts'
import type { Problems } from './problems.ts'

/** After a moment the records are looked at again this much later: lines are gathered for about 100 ms, requests answered later. */
const LOOKS_AFTER_MS = [130, 500, 2_000] as const
/** Read before the place where a claim was reserved: the line of its own call stands there, sometimes a long one. */
const LOOK_BACK_BYTES = 256 * 1024
/** A look in the background gives up after this; what is left is read at the next one. */
const BACKGROUND_MS = 2_000
/** Contexts whose last moment is older are left alone: nobody writes their records any more. */
const ACTIVE_FOR_MS = 15 * 60 * 1_000
const SWEEP_EVERY_MS = 2_000
const WHOLE_SWEEP_EVERY_MS = 60_000

export interface Target {
  readonly context: ContextId
  readonly session: SessionId
  readonly harness: Harness
  readonly files: GateFiles | null
}

/** A look that a request waits for. */
export interface AskedLook {
  /** `answeredSeq` of the context as the request's moment leaves it. */
  readonly answeredSeq: number
  /** The harness would have written its file by now: one that is not there is taken for no records. */
  readonly mustBeThere: boolean
  /** The call whose reply is asked for. */
  readonly call?: CallId
  /** Told of the facts, before they are judged. */
  readonly onFacts?: (facts: readonly Fact[]) => void
}

export interface LookOptions {
  readonly deadlineMs: number
  readonly asked?: AskedLook
}

export interface LooksOptions {
  readonly state: State
  readonly evidence: Evidence
  readonly host: Host
  readonly harnessOf: (context: ContextId) => Harness | null
  readonly now: () => Millis
  readonly problems: Problems
  readonly onError: (error: unknown) => void
}

export class Looks {
  readonly #options: LooksOptions
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #running = new Set<Promise<void>>()
  readonly #targets = new Map<ContextId, Target>()
  readonly #sweeper: NodeJS.Timeout
  #closed = false
  #sweptAt = -Infinity
  readonly #startedAt: Millis

  constructor(options: LooksOptions) {
    this.#options = options
    this.#startedAt = options.now()
    this.#sweeper = setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref()
  }

  /** Remembers what a context's records are looked at for. */
  remember(target: Target): void {
    this.#targets.delete(target.context)
    this.#targets.set(target.context, target)
    const oldest = this.#targets.keys().next().value
    if (this.#targets.size > 1_000 && oldest !== undefined) this.#targets.delete(oldest)
  }

  /** Looks again soon, several times. One that is planned already serves all moments before it. */
  schedule(target: Target): void {
    for (const delay of LOOKS_AFTER_MS) {
      const key = `${delay} ${target.context}`
      if (this.#timers.has(key)) continue
      const timer = setTimeout(() => {
        this.#timers.delete(key)
        this.#start(this.#targets.get(target.context) ?? target)
      }, delay).unref()
      this.#timers.set(key, timer)
    }
  }

  #start(target: Target): void {
    if (this.#closed) return
    const run = this.look(target, { deadlineMs: BACKGROUND_MS })
      .then(() => {}, this.#options.onError)
      .finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  /** Releases what nobody settled, and looks for claims that are still open. */
  sweep(): void {
    if (this.#closed) return
    const { state, now } = this.#options
    const active = now() - ACTIVE_FOR_MS
    // what was reserved before a long stop is released too; there is no need to ask for that all the time
    const isWhole = now() - this.#sweptAt > WHOLE_SWEEP_EVERY_MS
    if (isWhole) this.#sweptAt = now()
    try {
      const open = state.contexts({ withOpenClaims: true, ...(isWhole ? {} : { seenSince: active }) })
      for (const context of open) this.#sweepOne(context, active)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  #sweepOne(context: ContextId, active: Millis): void {
    const { state, now, harnessOf } = this.#options
    const held = state.context(context)
    const harness = harnessOf(context)
    if (held === null || harness === null) return
    const session = sessionOf(context)
    if (expire(held, now()).claims.length > 0) this.#update(context, session, (before) => expire(before, now()))
    if (held.seenAt >= active) this.#start(this.#targets.get(context) ?? { context, session, harness, files: null })
  }

  /** One look: reads what the records gained and judges it. Resolves to the context as it stands after. */
  async look(target: Target, { deadlineMs, asked }: LookOptions): Promise<ContextState | null> {
    const { state, evidence, host, now, problems } = this.#options
    const before = state.context(target.context)
    if (before === null || !(wantsLook(before) || asked?.call !== undefined)) return before
    const watch = watchOf(before, target.files, asked)
    const found = await this.#read(evidence, target, before, watch, deadlineMs)
    if (this.#closed) return before
    const { context, session, harness } = target
    // of reads the records tell, where there are any
    const asksHost = { ...watch, files: found.missing ? watch.files : [] }
    const told = host.look?.({ context, session, harness: harness.profile.name, folder: before.folder, watch: asksHost }) ?? NOTHING_TOLD
    const answeredSeq = Math.max(before.answeredSeq, asked?.answeredSeq ?? 0)
    const both = factsWithHost(before, found, told, answeredSeq)
    const facts: Fact[] = [...both.facts]
    if (both.contradicted > 0) problems.contradicted(harness.profile.title, both.contradicted, now())
    const isProvenByRecords = target.harness.profile.clientTellsVerdict !== true
    if (found.missing && isProvenByRecords && isWithoutRecords(before, asked, harness.profile.tellsBatchEnd)) {
      const isTold = host.canTell?.(context) === true
      facts.push({
        kind: 'no-records',
        ...(isTold ? { hopeless: hopeless(before, told, answeredSeq) } : {}),
        ...(harness.profile.tellsBatchEnd ? { answeredSeq } : {}),
      })
    }
    // a resume has records that tell what they hold; of a start that was missed, no reply means that there is nothing yet
    const isUntold =
      watch.wantsHeld && watch.call === undefined && (found.missing || found.reachedEnd) && !facts.some((fact) => fact.kind === 'held')
    if (isUntold && (before.owed !== 'resume' || asked?.mustBeThere === true)) facts.push({ kind: 'held', claims: [] })
    for (const fact of facts) {
      if (fact.kind !== 'missed') continue
      const cause = missedCause(fact, this.#startedAt)
      problems.count(`missed_${cause}`)
      state.countMissed(target.harness.profile.name, cause, now())
    }
    asked?.onFacts?.(facts)
    if (facts.length === 0 && !found.reachedEnd) return before

    const marks = facts.flatMap((fact) => (fact.kind === 'held' ? fact.claims : []))
    const claimed = marks.length === 0 ? [] : state.claimed(marks)
    return this.#update(target.context, target.session, (context) =>
      judge(context, {
        facts,
        // a request looks many times in a row: that is one look
        answeredSeq: found.reachedEnd && asked === undefined ? before.answeredSeq : null,
        now: now(),
        gatesOf: (path) => target.files?.gatesOf(path) ?? [],
        claimed,
      }),
    )
  }

  async #read(evidence: Evidence, target: Target, before: ContextState, watch: Watch, deadlineMs: number) {
    const path = before.records
    if (path === null) return { facts: [], reachedEnd: true, missing: true }
    const oldest = Math.min(FROM_END, ...[...before.claims, ...before.reads].map(({ recordsFrom = FROM_END }) => recordsFrom))
    const from = before.unscanned ? 0 : oldest === FROM_END ? FROM_END : Math.max(0, oldest - LOOK_BACK_BYTES)
    return evidence.look({ context: target.context, path, from, watch, records: target.harness.records, deadlineMs })
  }

  /** Looks again and again until the context is as wanted or the time is over. */
  async waitUntil(target: Target, isDone: (context: ContextState) => boolean, ms: number, answeredSeq: number): Promise<void> {
    const end = performance.now() + ms
    const pauses = new Pauses(end)
    for (;;) {
      const left = end - performance.now()
      const asked = { answeredSeq, mustBeThere: left <= RETRY_MS }
      const context = await this.look(target, { deadlineMs: Math.max(left, 1), asked })
      if (context === null || isDone(context) || left <= 0) return
      await pauses.next()
    }
  }

  /**
   * Learns before a call what an unknown conversation holds. The file of a fork appears about when its first call is made, and in
   * pieces (Claude Code 2.1.332, measured): it is whole once that call stands in it. What is there when the time is over counts.
   */
  async scanBefore(target: Target, call: CallId | null, ms: number, answeredSeq: number): Promise<void> {
    const end = performance.now() + ms
    const pauses = new Pauses(end)
    for (;;) {
      const left = end - performance.now()
      const isLast = left <= RETRY_MS
      const asked = { answeredSeq, mustBeThere: isLast, ...(isLast || call === null ? {} : { call }) }
      const context = await this.look(target, { deadlineMs: Math.max(left, 1), asked })
      if (isLast || context?.unscanned !== true) return
      await pauses.next()
    }
  }

  /** Looks until the records tell with what other calls the model made this one. */
  async waitForCall(target: Target, call: CallId, ms: number, answeredSeq: number): Promise<void> {
    const end = performance.now() + ms
    const pauses = new Pauses(end)
    let isTold = false
    const onFacts = (facts: readonly Fact[]) => {
      isTold ||= facts.some((fact) => fact.kind === 'called' && fact.call === call)
    }
    for (;;) {
      const left = end - performance.now()
      await this.look(target, { deadlineMs: Math.max(left, 1), asked: { answeredSeq, mustBeThere: false, call, onFacts } })
      if (isTold || left <= 0) return
      await pauses.next()
    }
  }

  #update(
    context: ContextId,
    session: SessionId,
    change: (before: ContextState) => { context: ContextState; claims: Step<null>['claims'] & {}; gates: Step<null>['gates'] & {} },
  ): ContextState | null {
    return this.#options.state.update<ContextState | null>({ context, session }, ({ context: before }) => {
      if (before === null) return { result: null }
      const after = change(before)
      if (after.context === before && after.claims.length === 0) return { result: before }
      this.#options.problems.lifted(after.gates, this.#options.now())
      return { context: after.context, claims: after.claims, gates: after.gates, result: after.context }
    })
  }

  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#sweeper)
    for (const timer of this.#timers.values()) clearTimeout(timer)
    await this.drain()
  }
}

/** A context's id is `harness/session`, with the agent behind it where it is a subagent's. */
function sessionOf(context: ContextId): SessionId {
  // the second part of the id was a session id when it was made
  return (context.split('/')[1] ?? '') as SessionId
}
