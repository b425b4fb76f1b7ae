/**
 * The interface of the engine: one moment through everything, and what people ask about it.
 *
 * It knows nothing of HTTP. The server, the command line and a host's mount stand above it.
 */
import type { Entry } from '../core/entry.ts'
import type { MissedFact } from '../core/fact.ts'
import type { DeliveryId, EntryId, Millis, ThreadId } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import type { LogFilter, LoggedMoment } from '../state.ts'
import type { HookAnswer } from '../harness.ts'
import type { HostStatus } from '../host.ts'

/** What a client could not post since its last moment. */
export interface Missed {
  readonly cause: MissedFact['cause']
  readonly times: number
}

export interface MomentRequest {
  readonly harness: string
  /** The parsed body. */
  readonly event: unknown
  /** From the `contextmd-delivery` request header. */
  readonly delivery: DeliveryId | null
  /** The hook's environment says `CONTEXTMD_OFF`. */
  readonly off: boolean
  readonly missed?: readonly Missed[]
  /** Monotonic clock (`performance.now()`) when the request arrived, for timing. */
  readonly arrived: number
}

export type MomentAnswer =
  | { readonly ok: true; readonly answer: HookAnswer; readonly delivery: DeliveryId | null }
  /** The event is not an event of this harness: 400. */
  | { readonly ok: false; readonly why: string }

export interface Health {
  /** `serving`; `off` by a person's wish; `disabled` because something is broken: every moment is answered 204. */
  readonly state: 'serving' | 'off' | 'disabled'
  /** When serving comes back by itself, if it does. */
  readonly offUntil: Millis | null
  readonly version: string
  readonly startedAt: Millis
  readonly problems: readonly Problem[]
  readonly stores: readonly { readonly name: string; readonly folder: string; readonly entries: number }[]
  /** Databases of hosts that sessions are joined to. */
  readonly hosts?: readonly HostStatus[]
  readonly counters: Readonly<Record<string, number>>
}

export interface Engine {
  /** Never throws, never takes longer than the deadline (700 ms). */
  moment(request: MomentRequest): Promise<MomentAnswer>
  /** `handed`: the bytes were written to a client that had not closed. */
  settle(delivery: DeliveryId, outcome: 'handed' | 'dropped'): 'settled' | 'late' | 'unknown'
  /** The same for a caller that needs no answer: those of one turn of the event loop are settled together. */
  settleSoon(delivery: DeliveryId, outcome: 'handed' | 'dropped'): void
  /** A verdict from a client that sees what the model is sent. `refused`: this harness is proven by its records alone. */
  evidence(delivery: DeliveryId, verdict: 'shown' | 'hidden' | 'cut'): 'judged' | 'refused' | 'unknown'
  /** Counts a request that could not be analysed, for health: too large, not JSON. */
  countNotAnalysed(harness: string, why: string): void
  /** Counts what a client tells beside a request that came to nothing: it tells it once. */
  countMissed(harness: string, missed: readonly Missed[]): void
  health(): Health
  log(filter: LogFilter): readonly LoggedMoment[]
  onLog(listener: () => void): () => void
  entries(): readonly { readonly id: EntryId; readonly title: string; readonly file: string; readonly store: string }[]
  /** Entries that an agent may search and read. `folder`: absolute, where it works; null: not known, then no entry of certain projects. */
  readable(wish: { readonly harness: string | null; readonly folder: string | null }): readonly Entry[]
  /** Switches serving off until a time (null: until switched on). */
  off(until: Millis | null): void
  on(): void
  /** Lifts the entry's gate in all contexts of the last day, or in one thread. Returns how many. */
  lift(entry: EntryId, thread?: ThreadId): number
  /** Resolves when no background work is left: evidence read, sweeps done. */
  drain(): Promise<void>
  close(): Promise<void>
}
