/**
 * The interface of the state: contexts, threads and the log, in one store with transactions.
 *
 * `update` is the only way in: it reads one context, runs one pure synchronous step and writes what the step gives, all in one
 * transaction. What fails throws a `StateError`; the engine turns that into an answer that lets the agent go on.
 */
import type { Claim } from './core/claim.ts'
import type { ContextState } from './core/context.ts'
import type { ClaimId, ContextId, DeliveryId, EntryId, HarnessName, Millis, RunId, SessionId, TextHash, ThreadId } from './core/id.ts'
import type { MomentKind } from './core/moment.ts'
import type { Lift, MomentOutcome, Outcome } from './core/outcome.ts'
import type { Problem } from './core/problem.ts'
import type { Joining, ThreadState } from './host.ts'

export class StateError extends Error {
  override readonly name = 'StateError'
  readonly code: 'locked' | 'full' | 'corrupt' | 'newer' | 'unwritable' | 'taken' | 'closed' | 'failed'
  constructor(code: StateError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** One row per moment. Never a prompt, a command, a path outside the project or a result's text (law 16). */
export interface MomentRow {
  readonly delivery: DeliveryId
  readonly context: ContextId
  readonly harness: HarnessName
  readonly version: string | null
  readonly session: SessionId
  readonly thread: ThreadId | null
  readonly run: RunId | null
  readonly joining: Joining['state']
  readonly kind: MomentKind
  readonly event: string
  /** Canonical tool name, for tool moments. */
  readonly tool: string | null
  readonly seq: number
  readonly epoch: number
  readonly wave: number
  readonly outcome: MomentOutcome
  /** A fixed text: why it was not analysed, or which problem's code made it fail. */
  readonly why: string | null
  /** UTF-8 bytes of text handed over. */
  readonly bytes: number
  readonly at: Millis
  /** Milliseconds from the request's arrival to the commit, and of its parts. */
  readonly ms: { readonly total: number; readonly match: number; readonly evidence: number }
}

/** One row per candidate of a moment. `outcome` is completed when its claim is judged. */
export interface CandidateRow {
  readonly entry: EntryId
  readonly entryHash: TextHash
  readonly outcome: Outcome
  readonly claim: ClaimId | null
  readonly lane: Claim['lane']
  readonly bytes: number
  /** Index of the item of `when` that matched. */
  readonly item: number
}

/** The final word on a claim, written into its candidate's row. */
export interface ClaimRow {
  readonly claim: ClaimId
  readonly verdict: Extract<Outcome, 'shown' | 'hidden' | 'cut' | 'unverified' | 'dropped' | 'delivery_unverified'>
  readonly why: string | null
  readonly at: Millis
}

/** A gate that lifted or was armed again. */
export interface GateRow {
  readonly context: ContextId
  readonly entry: EntryId
  readonly lift: Lift | 'armed'
  readonly at: Millis
}

/** What one step writes. */
export interface Step<T> {
  readonly context?: ContextState
  readonly thread?: ThreadState
  readonly moment?: MomentRow & {
    readonly candidates: readonly CandidateRow[]
    /** The rendered answer, kept ten minutes for replays; null for an empty one. */
    readonly answer: string | null
  }
  readonly claims?: readonly ClaimRow[]
  readonly gates?: readonly GateRow[]
  readonly result: T
}

/** What a step is given. `replay` is set when the delivery was answered before. */
export interface Before {
  readonly context: ContextState | null
  readonly thread: ThreadState | null
  readonly replay: { readonly answer: string | null } | null
}

export interface LogFilter {
  readonly thread?: ThreadId
  readonly entry?: EntryId
  readonly outcome?: string
  readonly harness?: HarnessName
  readonly since?: Millis
  /** Rows with a larger number only. */
  readonly after?: number
  /** Newest first when true. Default: oldest first. */
  readonly newest?: boolean
  readonly limit?: number
}

export type LoggedMoment = MomentRow & {
  /** Running number of the row. */
  readonly number: number
  readonly candidates: readonly (CandidateRow & { readonly verdictAt: Millis | null; readonly why: string | null })[]
  readonly gates: readonly GateRow[]
}

export interface State {
  update<T>(
    at: { readonly context: ContextId; readonly session: SessionId; readonly delivery?: DeliveryId },
    step: (before: Before) => Step<T>,
  ): T
  /** A context as it is, without a change. */
  context(context: ContextId): ContextState | null
  /** Contexts that have open claims, or were seen since. */
  contexts(filter: { readonly withOpenClaims?: boolean; readonly seenSince?: Millis; readonly session?: SessionId }): readonly ContextId[]
  /** The context that a delivery belongs to; null if unknown. */
  contextOf(delivery: DeliveryId): { readonly context: ContextId; readonly session: SessionId } | null
  /** Entries and hashes of claims, by their marks: what a fork or a resume replays. */
  claimed(claims: readonly ClaimId[]): readonly { readonly claim: ClaimId; readonly entry: EntryId; readonly entryHash: TextHash }[]
  log(filter: LogFilter): readonly LoggedMoment[]
  /** Called after each commit that wrote log rows. Returns the way to stop. */
  onLog(listener: () => void): () => void
  setting(name: string): string | null
  setSetting(name: string, value: string | null): void
  /** Deletes kept answers and old rows, a slice at a time. True if there is more to do. */
  prune(before: { readonly answers: Millis; readonly log: Millis }): boolean
  /** Finds what is inconsistent. Empty: all is well. */
  check(): readonly Problem[]
  close(): void
}
