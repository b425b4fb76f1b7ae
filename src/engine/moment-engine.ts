/** The engine: moments in, answers out, and what people ask about them and do to them. */
import { randomBytes } from 'node:crypto'
import { id, type ContextId, type DeliveryId, type EntryId, type Millis, type ThreadId } from '../core/id.ts'
import type { Moment } from '../core/moment.ts'
import type { Problem } from '../core/problem.ts'
import type { Evidence } from '../evidence/reader.ts'
import type { Harness } from '../harness.ts'
import type { Host } from '../host.ts'
import type { Project } from '../match/match.ts'
import { StateError, type LogFilter, type LoggedMoment, type State } from '../state.ts'
import type { Stores } from '../stores/stores.ts'
import { Answering } from './answering.ts'
import { beyondBounds } from './bounds.ts'
import type { Engine, Health, MomentAnswer, MomentRequest } from './engine.ts'
import { Flights } from './flight.ts'
import { Handovers } from './handovers.ts'
import { hashOf } from './hash.ts'
import { Looks } from './looks.ts'
import { Mishaps } from './mishaps.ts'
import { notAnalysed, Problems } from './problems.ts'
import { settlingStep, settlingSteps, verdictStep } from './settling.ts'
import { liftByHand, offUntil, switchServing } from './switch.ts'
import { Takers } from './takers.ts'
import { startUpkeep } from './upkeep.ts'

export interface EngineOptions {
  /** The state, or why there is none: then every moment is answered with nothing, and health says why. */
  readonly state: State | StateError
  readonly stores: Stores
  readonly harnesses: readonly Harness[]
  readonly host: Host
  readonly evidence: Evidence
  readonly projectOf: (cwd: string) => Project
  readonly home: string
  /** Folder of the notes. */
  readonly notes: string
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
  readonly #mishaps: Mishaps
  readonly #state: State | null
  readonly #looks: Looks | null
  readonly #answering: Answering | null
  readonly #handovers: Handovers | null
  readonly #stopUpkeep: () => void
  readonly #startedAt: Millis
  #lastMomentAt = 0

  constructor(options: EngineOptions) {
    const { state, evidence, now } = options
    this.#options = options
    this.#startedAt = now()
    this.#harnesses = new Map(options.harnesses.map((harness) => [harness.profile.name, harness]))
    this.#mishaps = new Mishaps(this.#problems, now, options.onError)
    if (state instanceof StateError) {
      this.#mishaps.stateFailed(state)
      this.#state = null
      this.#looks = null
      this.#answering = null
      this.#handovers = null
      this.#stopUpkeep = () => {}
      return
    }
    const onError = (error: unknown) => this.#mishaps.failed(error)
    const problems = this.#problems
    const harnessOf = (context: ContextId) => this.#harnessOf(context)
    const looks = new Looks({ state, evidence, harnessOf, now, problems, onError })
    this.#state = state
    this.#looks = looks
    this.#answering = new Answering({ ...options, state, looks, problems, denyText: options.denyText })
    this.#handovers = new Handovers({
      contextOf: (delivery) => state.contextOf(delivery),
      settle: (at, handovers) => {
        const gates = state.update(at, ({ context }) => settlingSteps(context, handovers, now()))
        this.#problems.lifted(gates, now())
      },
      onError,
    })
    this.#stopUpkeep = startUpkeep({ state, now, lastMomentAt: () => this.#lastMomentAt, onError })
  }

  async moment(request: MomentRequest): Promise<MomentAnswer> {
    const harness = this.#harnesses.get(request.harness)
    if (harness === undefined) return { ok: false, why: `no harness of this name: use ${[...this.#harnesses.keys()].join(', ')}` }
    const decoded = harness.decode(request.event, this.#options.now())
    if (!decoded.ok) {
      this.countNotAnalysed(request.harness, decoded.why)
      return decoded
    }
    const { moment, problem } = decoded
    const beyond = beyondBounds(moment)
    if (beyond !== null) {
      this.countNotAnalysed(request.harness, beyond)
      return { ok: false, why: beyond }
    }
    if (problem !== undefined) this.#problems.report(problem, moment.at)
    const own = request.delivery ?? moment.deliveryId
    const delivery = id<DeliveryId>(`${moment.context}|${own ?? randomBytes(9).toString('base64url')}`)
    const key = own === null ? `${moment.context} ${hashOf(JSON.stringify(request.event))}` : delivery
    const answer = await this.#flights.share(key, () => this.#answer(harness, moment, delivery, request))
    if (answer.ok && answer.delivery !== null) this.#takers.add(answer.delivery)
    return answer
  }

  async #answer(harness: Harness, moment: Moment, delivery: DeliveryId, request: MomentRequest): Promise<MomentAnswer> {
    this.#lastMomentAt = moment.at
    const nothing: MomentAnswer = { ok: true, answer: { status: 204 }, delivery: null }
    if (this.#answering === null || this.#mishaps.stateRests) {
      this.#problems.count('moments_without_state')
      return nothing
    }
    try {
      const answer = await this.#answering.answer(harness, moment, delivery, request)
      this.#mishaps.stateAnswered()
      this.#countMissed(harness, request)
      return { ok: true, answer, delivery: answer.status === 200 ? delivery : null }
    } catch (error) {
      this.#mishaps.failed(error)
      return nothing
    }
  }

  #countMissed({ profile }: Harness, { missed = [] }: MomentRequest): void {
    for (const { cause, times } of missed) {
      for (let time = 0; time < times; time += 1) {
        this.#state?.countMissed(profile.name, cause, this.#options.now())
        this.#problems.count(`missed_${cause}`)
      }
    }
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
      this.#mishaps.failed(error)
      return 'unknown'
    }
  }

  settleSoon(delivery: DeliveryId, outcome: 'handed' | 'dropped'): void {
    if (this.#takers.settled(delivery, outcome) === 'wait') return
    if (outcome === 'dropped') this.#problems.count('replies_dropped')
    this.#handovers?.add({ delivery, outcome })
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
      this.#mishaps.failed(error)
      return 'unknown'
    }
  }

  #harnessOf(context: ContextId): Harness | null {
    return this.#harnesses.get(context.split('/')[0] ?? '') ?? null
  }

  countNotAnalysed(harness: string, why: string): void {
    notAnalysed(this.#problems, harness, why, this.#options.now())
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

  async drain(): Promise<void> {
    await this.#looks?.drain()
  }

  async close(): Promise<void> {
    this.#stopUpkeep()
    this.#handovers?.flush()
    await this.#looks?.close()
    this.#options.stores.close()
    await this.#options.evidence.close()
    this.#state?.close()
  }
}
