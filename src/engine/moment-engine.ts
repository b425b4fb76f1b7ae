/** The engine: one moment through harness, host, stores, matching, evidence, decision and state. */
import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { newContext, type ContextState } from '../core/context.ts'
import { mustDeny } from '../core/deny.ts'
import type { Entry } from '../core/entry.ts'
import { id, type ContextId, type DeliveryId, type EntryId, type Millis, type RunId, type ThreadId } from '../core/id.ts'
import type { Moment } from '../core/moment.ts'
import { observe, type Observation } from '../core/observe.ts'
import type { Problem } from '../core/problem.ts'
import type { Profile } from '../core/profile.ts'
import { touchedOwnFiles } from '../guard/touched.ts'
import type { Evidence } from '../evidence/reader.ts'
import type { Harness } from '../harness.ts'
import type { Host } from '../host.ts'
import type { Matched, Project, Subject } from '../match/match.ts'
import { StateError, type LogFilter, type LoggedMoment, type State } from '../state.ts'
import type { StoreView, Stores } from '../stores/stores.ts'
import type { Engine, Health, MomentAnswer, MomentRequest } from './engine.ts'
import { Flights } from './flight.ts'
import { gateFilesOf, type GateFiles } from './gate-files.ts'
import { hashOf } from './hash.ts'
import { holdoutSalt } from './holdout.ts'
import { Looks, type Target } from './looks.ts'
import { Problems } from './problems.ts'
import { readFilesOf } from './read-files.ts'
import { realPathOf, rememberedRealPaths } from '../real-path.ts'
import { retention } from './retention.ts'
import { settlingStep, verdictStep } from './settling.ts'
import { STATE_CODES, stateProblem } from './state-problem.ts'
import { stepOf } from './step.ts'
import { liftByHand, offUntil, switchServing } from './switch.ts'
import { Takers } from './takers.ts'
import { triggersOf } from './triggers.ts'

/** A hook waits one second at most: past this nothing is decided any more, so that no reply is charged that nobody takes. */
export const DEADLINE_MS = 600
/** A held call waits this long for the proof that its text was shown (design, section 3). */
const GATE_WAIT_MS = 250
/** The first moment of an unknown conversation waits this long to learn what its records hold already. */
const SCAN_WAIT_MS = 100
/** A locked or broken state is not asked again for this long (law 17). */
const STATE_RESTS_MS = 1_000
const PRUNE_EVERY_MS = 60 * 1_000
/** The log is written back into its file when no moment came for this long: that takes some 50 ms. */
const IDLE_MS = 3_000
export interface EngineOptions {
  /** The state, or why there is none: then every moment is answered with nothing, and health says why. */
  readonly state: State | StateError
  readonly stores: Stores
  readonly harnesses: readonly Harness[]
  readonly host: Host
  readonly evidence: Evidence
  readonly projectOf: (cwd: string) => Project
  readonly home: string
  readonly version: string
  readonly now: () => Millis
  /** Where the text of a deny goes, against the profile: for the canary only. */
  readonly denyText?: 'context' | 'reason'
  /** Problems of parts that stand beside the engine: tokens. */
  readonly otherProblems?: () => readonly Problem[]
  /** Told of every failure that was turned into an answer; nothing of an event is in it. */
  readonly onError?: (error: unknown) => void
}

export class MomentEngine implements Engine {
  readonly #options: EngineOptions
  readonly #harnesses: ReadonlyMap<string, Harness>
  readonly #problems = new Problems()
  readonly #flights = new Flights<MomentAnswer>()
  readonly #takers = new Takers()
  readonly #realOf: (path: string) => string
  readonly #looks: Looks | null
  readonly #state: State | null
  readonly #pruner: NodeJS.Timeout
  readonly #idler: NodeJS.Timeout
  readonly #startedAt: Millis
  #index: Indexed | null = null
  #holdoutSalt: string | null = null
  #stateRestsUntil = 0
  #lastMomentAt = 0

  constructor(options: EngineOptions) {
    this.#options = options
    this.#startedAt = options.now()
    this.#realOf = rememberedRealPaths(options.now)
    this.#harnesses = new Map(options.harnesses.map((harness) => [harness.profile.name, harness]))
    this.#state = options.state instanceof StateError ? null : options.state
    if (options.state instanceof StateError) this.#reportState(options.state)
    this.#looks =
      this.#state === null
        ? null
        : new Looks({
            state: this.#state,
            evidence: options.evidence,
            harnessOf: (context) => this.#harnessOf(context),
            now: options.now,
            problems: this.#problems,
            onError: (error) => this.#failed(error),
          })
    this.#pruner = setInterval(() => this.#prune(), PRUNE_EVERY_MS).unref()
    this.#idler = setInterval(() => this.#idle(), IDLE_MS).unref()
  }

  async moment(request: MomentRequest): Promise<MomentAnswer> {
    const harness = this.#harnesses.get(request.harness)
    if (harness === undefined) return { ok: false, why: `no harness of this name: use ${[...this.#harnesses.keys()].join(', ')}` }
    const decoded = harness.decode(request.event, this.#options.now())
    if (!decoded.ok) {
      this.countNotAnalysed(request.harness, decoded.why)
      return decoded
    }
    const { moment } = decoded
    const own = request.delivery ?? moment.deliveryId
    const delivery = id<DeliveryId>(`${moment.context}|${own ?? randomBytes(9).toString('base64url')}`)
    const key = own === null ? `${moment.context} ${hashOf(JSON.stringify(request.event))}` : delivery
    const answer = await this.#flights.share(key, async () => {
      try {
        return await this.#answer(harness, moment, delivery, request)
      } catch (error) {
        this.#failed(error)
        return { ok: true, answer: { status: 204 }, delivery: null }
      }
    })
    if (answer.ok && answer.delivery !== null) this.#takers.add(answer.delivery)
    return answer
  }

  async #answer(harness: Harness, moment: Moment, delivery: DeliveryId, request: MomentRequest): Promise<MomentAnswer> {
    const state = this.#state
    const { now } = this.#options
    this.#lastMomentAt = now()
    if (state === null || now() < this.#stateRestsUntil) {
      this.#problems.count('moments_without_state')
      return { ok: true, answer: { status: 204 }, delivery: null }
    }
    const project = this.#options.projectOf(moment.cwd)
    // events of files that were saved before the request are taken in first: what was saved counts (stores/exact.test.ts)
    await setImmediate()
    const view = this.#options.stores.current(project.root)
    const { files, entries } = this.#indexed(view, project)
    const target: Target = { context: moment.context, session: moment.session, harness, files }
    this.#looks?.remember(target)
    if (moment.records !== null && !harness.records.isRecordsPath(moment.records)) this.#problems.report(recordsElsewhere(harness), now())

    const isOff = request.off || this.#offUntil() !== null
    const seen = this.#observation(moment, files)
    let context = this.#observed(state, moment, seen)
    const evidenceFrom = performance.now()
    // at a session's start its file may not be there yet: what is missing is served at the next seam (law 13)
    if (context.unscanned && !isOff && moment.kind !== 'session-start') {
      await this.#scan(state, target, context, moment)
      context = this.#observed(state, moment, seen)
    }
    let evidenceMs = performance.now() - evidenceFrom

    const pack = triggersOf(moment, context, harness.profile)
    const matchFrom = performance.now()
    const subject: Subject = {
      moment,
      project,
      sessionTriggers: pack.triggers,
      home: this.#options.home,
      real: realPathOf,
      at: moment.at,
    }
    const matched = isOff ? NOTHING_MATCHED : view.matcher.match(subject)
    const matchMs = performance.now() - matchFrom
    if (matched.notAnalysed !== null) this.countNotAnalysed(harness.profile.name, matched.notAnalysed)
    const touched = touchedOwnFiles(moment, matched.candidates)
    if (touched !== null) {
      this.#problems.count(touched.code)
      this.#problems.report(touched, now())
    }

    const waiting = matched.candidates.filter(({ entry }) => waitsForProof(context, entry))
    if (waiting.length > 0 && moment.kind === 'before-tool') {
      const waitFrom = performance.now()
      await this.#looks?.waitUntil(
        target,
        (after) => waiting.every(({ entry }) => !mustDeny(after, entry)),
        GATE_WAIT_MS,
        context.answeredSeq,
      )
      evidenceMs += performance.now() - waitFrom
    }
    if (performance.now() - request.arrived > DEADLINE_MS) throw new Error('The moment took longer than its deadline.')

    const salt = (this.#holdoutSalt ??= holdoutSalt(state))
    const answered = state.update({ context: moment.context, session: moment.session, delivery }, (before) =>
      stepOf(before, {
        harness,
        profile: this.#profileOf(harness),
        host: this.#options.host,
        moment,
        delivery,
        matched,
        seen,
        pack,
        entries,
        subject,
        holdoutSalt: salt,
        isOff,
        now: now(),
        arrived: request.arrived,
        ms: { match: matchMs, evidence: evidenceMs },
      }),
    )
    if (this.#stateRestsUntil > 0) this.#stateIsBack()
    if (answered.isOpen) this.#looks?.schedule(target)
    return { ok: true, answer: answered.answer, delivery: answered.answer.status === 200 ? delivery : null }
  }

  #observation(moment: Moment, files: GateFiles): Omit<Observation, 'run'> {
    return {
      reads: moment.kind === 'after-tool' ? readFilesOf(moment, files, this.#options.home) : [],
      loaded: moment.kind === 'loaded' ? files.textOf(moment.path) : [],
      gatesOf: (path) => files.gatesOf(path),
    }
  }

  /** The context as the moment will find it. Nothing is kept. */
  #observed(state: State, moment: Moment, seen: Omit<Observation, 'run'>): ContextState {
    const kept = state.context(moment.context) ?? newContext(moment.context, moment.at)
    return observe(kept, moment, { ...seen, run: kept.budget?.run ?? id<RunId>('') }).context
  }

  /** Learns what an unknown conversation holds already, so that nothing is served twice. */
  async #scan(state: State, target: Target, observed: ContextState, moment: Moment): Promise<void> {
    if (observed.records === null) return
    const { started, unscanned, owed, records } = observed
    state.update({ context: target.context, session: target.session }, ({ context }) => ({
      context: { ...(context ?? newContext(target.context, this.#options.now())), started, unscanned, owed, records },
      result: null,
    }))
    // a fork's file is not there before its first call (2.1.332, measured)
    const asked = { answeredSeq: observed.answeredSeq, mustBeThere: moment.kind === 'before-tool' }
    await this.#looks?.look(target, { deadlineMs: SCAN_WAIT_MS, asked })
  }

  /** What is derived from the entries, kept as long as they and the project are the same. */
  #indexed(view: StoreView, project: Project): Indexed {
    const roots = project.roots.join('\n')
    const kept = this.#index
    if (kept !== null && kept.view === view && kept.roots === roots) return kept
    const entries = new Map(view.entries.map((entry) => [entry.id, entry]))
    this.#index = { view, roots, entries, files: gateFilesOf(view.entries, project, this.#realOf) }
    return this.#index
  }

  #profileOf(harness: Harness): Profile {
    return this.#options.denyText === undefined ? harness.profile : { ...harness.profile, denyText: this.#options.denyText }
  }

  settle(delivery: DeliveryId, outcome: 'handed' | 'dropped'): 'settled' | 'late' | 'unknown' {
    const state = this.#state
    if (state === null) return 'unknown'
    // one of several clients that share a reply is gone: the others may still take it
    if (this.#takers.settled(delivery, outcome) === 'wait') return 'settled'
    try {
      const at = state.contextOf(delivery)
      if (at === null) return 'unknown'
      const now = this.#options.now()
      const { result, gates } = state.update(at, ({ context }) => settlingStep(context, delivery, outcome, now))
      this.#problems.lifted(gates, now)
      if (result === 'settled' && outcome === 'dropped') this.#problems.count('replies_dropped')
      return result === 'settled' ? 'settled' : 'late'
    } catch (error) {
      this.#failed(error)
      return 'unknown'
    }
  }

  evidence(delivery: DeliveryId, verdict: 'shown' | 'hidden' | 'cut'): 'judged' | 'refused' | 'unknown' {
    const state = this.#state
    if (state === null) return 'unknown'
    try {
      const at = state.contextOf(delivery)
      if (at === null) return 'unknown'
      if (this.#harnessOf(at.context)?.profile.clientTellsVerdict !== true) return 'refused'
      const now = this.#options.now()
      const { result, gates } = state.update(at, ({ context }) => verdictStep(context, delivery, verdict, now))
      this.#problems.lifted(gates, now)
      return result
    } catch (error) {
      this.#failed(error)
      return 'unknown'
    }
  }

  #harnessOf(context: ContextId): Harness | null {
    return this.#harnesses.get(context.split('/')[0] ?? '') ?? null
  }

  countNotAnalysed(harness: string, why: string): void {
    this.#problems.count('not_analysed')
    this.#problems.report(
      {
        code: 'not_analysed',
        severity: 'warning',
        message: `A moment of ${harness} could not be analysed in full: ${why}.`,
        cure: 'Rules that it should have met may not have been served. If it happens often, report it with the harness and its version.',
      },
      this.#options.now(),
    )
  }

  health(): Health {
    const now = this.#options.now()
    const until = this.#offUntil()
    const view = this.#options.stores.current()
    return {
      state: this.#state === null ? 'disabled' : until === null ? 'serving' : 'off',
      offUntil: until === Infinity ? null : until,
      version: this.#options.version,
      startedAt: this.#startedAt,
      problems: [
        ...this.#problems.current(now),
        ...(this.#options.otherProblems?.() ?? []),
        ...this.#options.host.problems(),
        ...view.problems,
      ],
      stores: view.stores,
      counters: this.#problems.counters,
    }
  }

  log(filter: LogFilter): readonly LoggedMoment[] {
    this.#looks?.sweep()
    return this.#state?.log(filter) ?? []
  }

  onLog(listener: () => void): () => void {
    return this.#state?.onLog(listener) ?? (() => {})
  }

  entries() {
    return this.#options.stores.current().entries.map(({ id, title, file, store }) => ({ id, title, file, store }))
  }

  off(until: Millis | null): void {
    if (this.#state !== null) switchServing(this.#state, until)
  }

  on(): void {
    if (this.#state !== null) switchServing(this.#state, 'on')
  }

  #offUntil(): Millis | null {
    return this.#state === null ? null : offUntil(this.#state, this.#options.now())
  }

  lift(entry: EntryId, thread?: ThreadId): number {
    const known = this.#options.stores.current().entries.find((candidate) => candidate.id === entry)
    if (this.#state === null || known === undefined) return 0
    return liftByHand(this.#state, known, thread, this.#options.now())
  }

  #prune(): void {
    try {
      const more = this.#state?.prune(retention(this.#options.now())) ?? false
      if (more) setTimeout(() => this.#prune(), 0).unref()
    } catch (error) {
      this.#failed(error)
    }
  }

  #idle(): void {
    if (this.#options.now() - this.#lastMomentAt < IDLE_MS) return
    try {
      this.#state?.checkpoint()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** The one place where a failure becomes a problem that a person can read (law 17). */
  #failed(error: unknown): void {
    if (error instanceof StateError) this.#reportState(error)
    else {
      this.#problems.count('failures')
      this.#problems.report(
        {
          code: 'moment_failed',
          severity: 'error',
          message: `A moment failed inside ContextMD (${error instanceof Error ? error.name : 'unknown error'}); the agent went on without rules.`,
          cure: "Look into the server's log for the stack, and report it.",
        },
        this.#options.now(),
      )
    }
    this.#options.onError?.(error)
  }

  #stateIsBack(): void {
    this.#stateRestsUntil = 0
    for (const code of STATE_CODES) this.#problems.over(`state_${code}`)
  }

  #reportState(error: StateError): void {
    this.#stateRestsUntil = this.#options.now() + STATE_RESTS_MS
    this.#problems.count(`state_${error.code}`)
    this.#problems.report(stateProblem(error), this.#options.now())
  }

  async drain(): Promise<void> {
    await this.#looks?.drain()
  }

  async close(): Promise<void> {
    clearInterval(this.#pruner)
    clearInterval(this.#idler)
    await this.#looks?.close()
    this.#options.stores.close()
    await this.#options.evidence.close()
    this.#state?.close()
  }
}

interface Indexed {
  readonly view: StoreView
  readonly roots: string
  readonly entries: ReadonlyMap<EntryId, Entry>
  readonly files: GateFiles
}

const NOTHING_MATCHED: Matched = { candidates: [], notAnalysed: null }

function recordsElsewhere({ profile }: Harness): Problem {
  return {
    code: 'records_elsewhere',
    severity: 'warning',
    message: `A session of ${profile.title} names a session file where it would not keep one: it is not opened, and nothing in that session can be proven.`,
    cure: `If ${profile.title} keeps its sessions elsewhere now, report it with its version.`,
  }
}

/** True if the gate is armed, and the text that could lift it went out before the model's latest answer. */
function waitsForProof(context: ContextState, entry: Entry): boolean {
  if (!mustDeny(context, entry)) return false
  return context.claims.some(
    (claim) =>
      claim.entry === entry.id &&
      claim.form === 'text' &&
      claim.epoch === context.epoch &&
      claim.state === 'settled' &&
      claim.seq < context.answeredSeq,
  )
}
