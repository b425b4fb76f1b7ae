/**
 * The interface of the state: contexts, threads and the log, in one store with transactions.
 *
 * `update` is the only way in: it reads one context, runs one pure synchronous step and writes what the step gives, all in one
 * transaction. What fails throws a `StateError`; the engine turns that into an answer that lets the agent go on.
 */
import type { ContextState } from './core/context.ts'
import type { ClaimId, ContextId, DeliveryId, EntryId, HarnessName, Millis, RunId, SessionId, ThreadId } from './core/id.ts'
import type { Claimed } from './core/judge.ts'
import type { MomentKind } from './core/moment.ts'
import type { MomentOutcome, Outcome } from './core/outcome.ts'
import type { CandidateRow, ClaimRow, GateRow, ObedienceRow } from './core/row.ts'
import type { Problem } from './core/problem.ts'
import type { MissedFact } from './core/fact.ts'
import type { Joining, ThreadState } from './host.ts'
import type { MissedTally, Tally, TallyCursor } from './state/tally.ts'

export type { CandidateRow, ClaimRow, GateRow, ObedienceRow } from './core/row.ts'
export type * from './state/tally.ts'

/** What can be wrong with the state, and what a person can do about it. Each error's message ends with its cure. */
export const STATE_CURES = {
  locked: 'End the other program that writes to it (a shell on the database, a backup); serving goes on by itself.',
  full: 'Free space on its disk; serving goes on by itself.',
  corrupt: 'Move the file away and start again: sessions begin anew, no entry is lost.',
  newer: 'Update ContextMD, or move the file away and start again.',
  unwritable: 'Give your user the right to write the file and its folder, or name another folder in CONTEXTMD_DATA.',
  taken: 'Use the server that runs already, or stop it first.',
  closed: 'Start the server again.',
  unreadable_row: 'Begin that session anew; "contextmd doctor --state" tells which rows there are, and whether others are damaged.',
  replaced:
    'Nothing, if you did it. To put a backup in its place, stop the server, remove the files ending in -wal and -shm, and start it again.',
  failed: 'If it comes again, move the file away and start again.',
} as const

export class StateError extends Error {
  override readonly name = 'StateError'
  readonly code: keyof typeof STATE_CURES
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
  /** The thread is in the holdout group. Absent: it is not. */
  readonly holdout?: boolean
  /** A fixed text: why it was not analysed, or which problem's code made it fail. */
  readonly why: string | null
  /** UTF-8 bytes of rule text that was put into the reply, marks included: the sum of the candidates' own (law 1). */
  readonly bytes: number
  readonly at: Millis
  /** Milliseconds from the request's arrival to the commit, and of its parts. */
  readonly ms: { readonly total: number; readonly match: number; readonly evidence: number }
}

/**
 * What one step writes, all of it or nothing. A step whose moment's delivery was logged before writes nothing at all: the same
 * delivery changes nothing the second time (law 4).
 */
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
  /** The latest row of a claim stands. */
  readonly obedience?: readonly ObedienceRow[]
  readonly result: T
}

/** What a step is given. `replay` is set when the delivery was answered before: what was said, and when. */
export interface Before {
  readonly context: ContextState | null
  readonly thread: ThreadState | null
  /** Of the parent session, where one was named. */
  readonly parent?: ThreadState | null
  readonly replay: { readonly answer: string | null; readonly at: Millis } | null
}

export interface LogFilter {
  readonly thread?: ThreadId
  readonly entry?: EntryId
  /**
   * Of the moment, or of any of its candidates: at the moment itself, or completed later. With `entry`: of the moment, or of that
   * entry's candidate.
   */
  readonly outcome?: string
  readonly harness?: HarnessName
  readonly since?: Millis
  /** Rows with a larger number only. */
  readonly after?: number
  /** Newest first when true. Default: oldest first. */
  readonly newest?: boolean
  /** Default: 1,000. */
  readonly limit?: number
}

/** `outcome` is the claim's verdict once there is one; `atMoment` stays what it was at the moment itself. */
export type LoggedCandidate = CandidateRow & {
  readonly atMoment: Outcome
  readonly verdictAt: Millis | null
  readonly why: string | null
}

export type LoggedMoment = MomentRow & {
  /** Running number of the row. */
  readonly number: number
  readonly candidates: readonly LoggedCandidate[]
  /** Gates of this context that lifted or were armed with this moment, or after it and before the next. */
  readonly gates: readonly GateRow[]
}

/** A part of the log, found in a short time. */
export interface LogPage {
  readonly rows: readonly LoggedMoment[]
  /** Give it back as `after` (as `before` when the newest come first) to go on; null: there is no more. */
  readonly next: number | null
}

/** Rows that were written earlier and gained a verdict or a gate since. */
export interface Completed {
  /** Their numbers, each once, the lowest first. */
  readonly moments: readonly number[]
  /** Give it back to go on. */
  readonly next: number
}

export interface ThreadSummary {
  readonly thread: ThreadId
  /** Null once its log rows are gone. */
  readonly harness: HarnessName | null
  readonly sessions: number
  readonly seenAt: Millis
  readonly runs: number
  /** Since the thread began, also those whose rows are gone. */
  readonly moments: number
  readonly denied: number
  /** UTF-8 bytes of text handed over. */
  readonly bytes: number
}

/** Counted since the state was opened; a restart begins anew. */
export interface Totals {
  readonly moments: Readonly<Record<string, number>>
  readonly verdicts: Readonly<Record<string, number>>
  readonly lifts: Readonly<Record<string, number>>
  readonly obedience: Readonly<Record<string, number>>
  /** UTF-8 bytes of text handed over. */
  readonly bytes: number
}

/** What `prune` takes away: answers and log rows of before a time, and the oldest log rows over a size. */
export interface Retention {
  readonly answers: Millis
  readonly log: Millis
  /** At most so many moments stay. */
  readonly rows?: number
  /** At most so many bytes of the file stay in use. Its size follows only when it is copied: what is freed is used again. */
  readonly bytes?: number
}

export interface State {
  update<T>(
    at: { readonly context: ContextId; readonly session: SessionId; readonly parent?: SessionId; readonly delivery?: DeliveryId },
    step: (before: Before) => Step<T>,
  ): T
  /**
   * What `update` writes from now on is one transaction, until the function that it gives is called: it commits all, and throws if
   * any could not be written; then none was. Call it within the same turn of the event loop.
   */
  gather(): () => void
  /** Puts some of what was committed lately into its place in the file, where it is found by many ways. True if there is more to do. */
  putAway(): boolean
  /** A context as it is, without a change. */
  context(context: ContextId): ContextState | null
  /** Contexts for which all that the filter names holds. */
  contexts(filter: { readonly withOpenClaims?: boolean; readonly seenSince?: Millis; readonly session?: SessionId }): readonly ContextId[]
  /** The context that a delivery belongs to; null if unknown. */
  contextOf(delivery: DeliveryId): { readonly context: ContextId; readonly session: SessionId } | null
  /** Claims by their marks: what a fork or a resume replays. */
  claimed(claims: readonly ClaimId[]): readonly Claimed[]
  log(filter: LogFilter): readonly LoggedMoment[]
  /** As `log`, but ends after a short time and says where to go on. */
  logPage(filter: LogFilter & { readonly before?: number }): LogPage
  /** For those who follow the log. `from`: the `next` of the last answer; null: from now on. Of very many only the last ones are told. */
  completed(from: number | null): Completed
  /** Sums over one slice of the log since then. Null as `next`: that was the last one. */
  tally(since: Millis, from: TallyCursor | null): { readonly tally: Tally; readonly next: TallyCursor | null }
  /** Threads, the one seen last first. */
  threads(filter: { readonly thread?: ThreadId; readonly limit: number }): readonly ThreadSummary[]
  /** Deletes what belongs to a thread, a slice at a time. True if there is more to do. */
  forget(thread: ThreadId): boolean
  /** Counts something that the harness let pass without us, or against us, for the day of `at`: in one commit, however often it was. */
  countMissed(harness: HarnessName, cause: MissedFact['cause'], at: Millis, times?: number): void
  /** What was counted on the days since then, that of `since` included. */
  missed(since: Millis): readonly MissedTally[]
  totals(): Totals
  /** Bytes of the file that are in use. */
  size(): number
  /** Called after each commit that wrote log rows, or completed one. Must not throw. Returns the way to stop. */
  onLog(listener: () => void): () => void
  setting(name: string): string | null
  setSetting(name: string, value: string | null): void
  /** Deletes kept answers, and log rows, contexts and threads of before then, a slice at a time. True if there is more to do. */
  prune(keep: Retention): boolean
  /** Moves what was committed into the main file, which waits for the disk: for idle times. */
  checkpoint(): void
  /** Tells the file that is open, with its log, from others that may bear their names by now; null while none is open. */
  identity(): string | null
  /** Finds what is inconsistent. Empty: all is well. Reads the whole file: for `doctor` and tests, not for a moment. */
  check(): readonly Problem[]
  close(): void
}
