/** The engine: moments in, answers out, and what people ask about them and do to them. */
import type { Entry } from '../core/entry.ts'
import { type ContextId, type DeliveryId, type EntryId, type HarnessName, type Millis, type ThreadId } from '../core/id.ts'
import type { Moment } from '../core/moment.ts'
import type { Harness } from '../harness.ts'
import { StateError, type LogFilter, type LoggedMoment, type State } from '../state.ts'
import { beyondBounds } from './bounds.ts'
import { deliveryOf } from './delivery.ts'
import type { Engine, Health, Missed, MomentAnswer, MomentRequest } from './engine.ts'
import type { EngineOptions } from './engine-options.ts'
import { Flights } from './flight.ts'
import { hashOf } from './hash.ts'
import { Mishaps } from './mishaps.ts'
import { notAnalysed, Problems } from './problems.ts'
import { readableBy } from './readable.ts'
import { answerProbe, isProbe } from './probe.ts'
import { settlingStep, verdictStep } from './settling.ts'
import { liftByHand, offUntil, switchServing } from './switch.ts'
import { Takers } from './takers.ts'
import { Versions } from './versions.ts'
import { startWorking, type Working } from './working.ts'

/** Told while the state can't be written. */
const MOST_UNTOLD = 1_000

export class MomentEngine implements Engine {
  readonly #options: EngineOptions
  readonly #harnesses: ReadonlyMap<string, Harness>
  readonly #problems = new Problems()
  readonly #versions = new Versions(this.#problems)
  readonly #flights = new Flights<MomentAnswer>()
  readonly #takers = new Takers()
  readonly #mishaps: Mishaps
  readonly #listeners = new Set<() => void>()
  readonly #startedAt: Millis
  /** What clients missed, and the state does not know yet. */
  #untold: (Missed & { readonly harness: HarnessName })[] = []
  #working: Working | null = null
  #stopTrying: () => void = () => {}
  #lastMomentAt = 0

  constructor(options: EngineOptions) {
    const { state, now } = options
    this.#options = options
    this.#startedAt = now()
    this.#harnesses = new Map(options.harnesses.map((harness) => [harness.profile.name, harness]))
    this.#mishaps = new Mishaps(this.#problems, now, options.onError)
    if (!(state instanceof StateError)) {
      this.#start(state)
      return
    }
    this.#mishaps.stateFailed(state)
    const onFailed = (error: unknown) => {
      // it may be another failure than before
      this.#mishaps.stateAnswered()
      this.#mishaps.failed(error)
    }
    this.#stopTrying = options.tryAgain?.(state, (opened) => this.#start(opened), onFailed) ?? this.#stopTrying
  }

  #start(state: State): void {
    const options = this.#options
    this.#mishaps.stateAnswered()
    state.onLog(() => {
      for (const listener of this.#listeners) listener()
    })
    this.#working = startWorking({
      ...options,
      state,
      problems: this.#problems,
      harnessOf: (context) => this.#harnessOf(context),
      denyText: options.denyText,
      patience: options.patience ?? 1,
      checkpoint: () => options.checkpoints.run(state.identity()),
      lastMomentAt: () => this.#lastMomentAt,
      onDropped: () => this.#problems.count('replies_dropped'),
      onError: (error) => this.#mishaps.failed(error),
    })
  }

  /** Null while there is none that can be used. */
  get state(): State | null {
    return this.#working?.state ?? null
  }

  async moment(request: MomentRequest): Promise<MomentAnswer> {
    const harness = this.#harnesses.get(request.harness)
    if (harness === undefined) return { ok: false, why: `no harness of this name: use ${[...this.#harnesses.keys()].join(', ')}` }
    const decoded = harness.decode(request.event, this.#options.now())
    if (!decoded.ok) return this.#refused(decoded.why, request)
    const { moment, problem } = decoded
    if (isProbe(moment)) return this.#probed(harness, moment, request)
    const beyond = beyondBounds(moment)
    if (beyond !== null) return this.#refused(beyond, request)
    if (problem !== undefined) this.#problems.report(problem, moment.at)
    this.#versions.seen(harness, moment)
    const { delivery, isOwn } = deliveryOf(moment, request.delivery)
    const key = !isOwn ? `${moment.context} ${hashOf(JSON.stringify(request.event))}` : delivery
    const answer = await this.#flights.share(key, () => this.#answer(harness, moment, delivery, request))
    if (answer.ok && answer.delivery !== null) this.#takers.add(answer.delivery)
    return answer
  }

  async #answer(harness: Harness, moment: Moment, asked: DeliveryId, request: MomentRequest): Promise<MomentAnswer> {
    this.#lastMomentAt = moment.at
    const nothing: MomentAnswer = { ok: true, answer: { status: 204 }, delivery: null }
    if (this.#working === null || this.#mishaps.stateRests) {
      this.#problems.count('moments_without_state')
      this.countMissed(request.harness, request.missed)
      return nothing
    }
    try {
      const { answer, delivery, isRepeated } = await this.#working.answering.answer(harness, moment, asked, request)
      this.#mishaps.stateAnswered()
      if (!isRepeated) this.countMissed(request.harness, request.missed)
      return { ok: true, answer, delivery: answer.status === 200 ? delivery : null }
    } catch (error) {
      this.#mishaps.failed(error)
      this.countMissed(request.harness, request.missed)
      return nothing
    }
  }

  #refused(why: string, request: MomentRequest): MomentAnswer {
    this.countNotAnalysed(request.harness, why)
    this.countMissed(request.harness, request.missed)
    return { ok: false, why }
  }

  #probed(harness: Harness, moment: Moment, request: MomentRequest): MomentAnswer {
    this.countMissed(request.harness, request.missed)
    return { ok: true, answer: answerProbe(harness, moment), delivery: null }
  }

  countMissed(harness: string, missed: readonly Missed[] = []): void {
    const name = this.#harnesses.get(harness)?.profile.name
    if (name === undefined) return
    for (const { cause, times } of missed) this.#problems.count(`missed_${cause}`, times)
    this.#untold.push(...missed.map((each) => ({ ...each, harness: name })))
    if (this.#untold.length > MOST_UNTOLD) this.#untold = this.#untold.slice(-MOST_UNTOLD)
    this.#tellMissed()
  }

  /** What can't be written yet is kept until the state is there again. */
  #tellMissed(): void {
    const state = this.state
    if (state === null || this.#mishaps.stateRests) return
    try {
      for (let next = this.#untold[0]; next !== undefined; next = this.#untold[0]) {
        state.countMissed(next.harness, next.cause, this.#options.now(), next.times)
        this.#untold.shift()
      }
    } catch (error) {
      this.#mishaps.failed(error)
    }
  }

  settle(delivery: DeliveryId, outcome: 'handed' | 'dropped'): 'settled' | 'late' | 'unknown' {
    const state = this.state
    if (state === null) return 'unknown'
    // one of several clients that share a reply is gone: the others may still take it
    if (this.#takers.settled(delivery, outcome) === 'wait') return 'settled'
    try {
      const at = state.contextOf(delivery)
      if (at === null) return 'unknown'
      const now = this.#options.now()
      const { result, gates } = state.update(at, ({ context }) =>
        settlingStep(context, delivery, outcome, now, this.#tellsWaveEnd(at.context)),
      )
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
    this.#working?.handovers.add({ delivery, outcome })
  }

  evidence(delivery: DeliveryId, verdict: 'shown' | 'hidden' | 'cut'): 'judged' | 'refused' | 'unknown' {
    const state = this.state
    if (state === null) return 'unknown'
    try {
      const at = state.contextOf(delivery)
      if (at === null) return 'unknown'
      if (this.#harnessOf(at.context)?.profile.clientTellsVerdict !== true) return 'refused'
      // the reply that it speaks of may have gone out in this very turn
      this.#working?.handovers.flush()
      const now = this.#options.now()
      const { result, gates } = state.update(at, ({ context }) => verdictStep(context, delivery, verdict, now))
      this.#problems.lifted(gates, now)
      return result
    } catch (error) {
      this.#mishaps.failed(error)
      return 'unknown'
    }
  }

  #tellsWaveEnd(context: ContextId): boolean {
    return this.#harnessOf(context)?.profile.tellsBatchEnd === true
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
      // also while another server owns what was open here
      state: (this.state?.identity() ?? null) === null ? 'disabled' : until === null ? 'serving' : 'off',
      offUntil: until === Infinity ? null : until,
      version: this.#options.version,
      startedAt: this.#startedAt,
      problems: [
        ...this.#problems.current(now),
        ...(this.#options.otherProblems?.() ?? []),
        ...this.#options.host.problems(),
        ...view.problems,
      ],
      hosts: this.#options.host.status?.() ?? [],
      stores: view.stores,
      counters: this.#problems.counters,
    }
  }

  log(filter: LogFilter): readonly LoggedMoment[] {
    this.#working?.looks.sweep()
    return this.state?.log(filter) ?? []
  }

  onLog(listener: () => void): () => void {
    // a wrapper of its own, so that the same function can listen twice and stop once
    const own = () => listener()
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  entries() {
    return this.#options.stores.current().entries.map(({ id, title, file, store }) => ({ id, title, file, store }))
  }

  readable({ harness, folder }: { readonly harness: string | null; readonly folder: string | null }): readonly Entry[] {
    const { stores, projectOf, home, now } = this.#options
    const project = folder === null ? null : projectOf(folder)
    return readableBy(stores.current(project?.root).entries, { harness, project, home, at: now() })
  }

  off(until: Millis | null): void {
    if (this.state !== null) switchServing(this.state, until)
  }

  on(): void {
    if (this.state !== null) switchServing(this.state, 'on')
  }

  /** A state that fails just now is told as a problem: health is what people ask then. */
  #offUntil(): Millis | null {
    try {
      return this.state === null ? null : offUntil(this.state, this.#options.now())
    } catch (error) {
      this.#mishaps.failed(error)
      return null
    }
  }

  lift(entry: EntryId, thread?: ThreadId): number {
    const known = this.#options.stores.current().entries.find((candidate) => candidate.id === entry)
    if (this.state === null || known === undefined) return 0
    return liftByHand(this.state, known, thread, this.#options.now())
  }

  async drain(): Promise<void> {
    await this.#options.host.drain?.()
    await this.#working?.looks.drain()
    await this.#versions.drain()
  }

  async close(): Promise<void> {
    this.#stopTrying()
    this.#options.stores.close()
    await this.#working?.close()
    await this.#options.checkpoints.close()
    await this.#options.evidence.close()
    this.#options.host.close?.()
  }
}
