/**
 * A context: one model window, with the state that belongs to it.
 *
 * Its row holds open claims, gates, known entries and counters only; what was judged moves to the log, so that the cost of a
 * moment does not grow with the age of its context.
 */
import type { CallId, ClaimId, ContextId, EntryId, Millis, RunId, TextHash } from './id.ts'
import type { Claim } from './claim.ts'
import type { SessionTrigger } from './entry.ts'
import type { Gate } from './gate.ts'

export interface Known {
  readonly hash: TextHash
  /**
   * `shown`: its text, by this claim. `pointer`: only a line that names its file was shown. `loaded`: the harness loaded it by itself.
   * `unverified`: no verdict could be had, it counts as served. `cut`: not the whole text arrived, from now on it is offered as a pointer.
   */
  readonly by: 'shown' | 'pointer' | 'loaded' | 'unverified' | 'cut'
  readonly claim: ClaimId | null
  /** The run in which it was served, for `repeat: run`. */
  readonly run: RunId | null
  /** Number of the moment that it comes from. Absent: before all others. */
  readonly seq?: number
}

/** A read that went well but is not yet answered. It proves when its batch is over and the model has made a call outside it. */
export interface PendingRead {
  readonly path: string
  readonly call: CallId
  readonly wave: number
  /** A batch end named the call. */
  readonly named: boolean
  /** Size of the records when the call was done: what proves the read stands about there or behind. Absent: not known. */
  readonly recordsFrom?: number
}

export interface Budget {
  readonly run: RunId
  readonly epoch: number
  readonly rules: number
  readonly router: number
}

/** Text that had no seam at its moment and waits for the next one in its context (law 14). */
export interface Carry {
  readonly entry: EntryId
  readonly hash: TextHash
  /** Index of the item of `when` that matched. */
  readonly item: number
  /** Dies with this run when set: it was meant for a prompt. */
  readonly run: RunId | null
  readonly epoch: number
  /** Replies that it was put into. */
  readonly tries: number
}

/** An entry that was handed over, or withheld, and that says how obeying it looks: it waits for an occasion in its run. */
export interface Occasion {
  /** Null: withheld. */
  readonly claim: ClaimId | null
  readonly entry: EntryId
  readonly hash: TextHash
  readonly run: RunId
}

export interface Wave {
  readonly number: number
  /** The wave's end was told: the next call opens a new one. */
  readonly over: boolean
  /** Calls denied in it, and their ids. */
  readonly denied: number
  readonly calls: readonly CallId[]
  readonly since: Millis
}

export interface ContextState {
  readonly id: ContextId
  /** Counts the moments of the context. */
  readonly seq: number
  /** Number of the latest moment that only comes after an answer of the model: a call of a new wave, a stop. */
  readonly answeredSeq: number
  /** Where the harness keeps the records of this context. */
  readonly records: string | null
  /** The session's own folder, as its start or its latest prompt named it. */
  readonly folder: string | null
  readonly epoch: number
  /** Compactions told by moments and by records; the epoch ends when the larger of the two grows (T10). */
  readonly compactions: {
    readonly byMoment: number
    readonly byRecords: number
    readonly counted: number
    /** Marks of the latest ones in the records, so that none counts twice. */
    readonly marks: readonly string[]
  }
  readonly wave: Wave
  readonly budget: Budget | null
  readonly claims: readonly Claim[]
  readonly gates: Readonly<Record<EntryId, Gate>>
  readonly known: Readonly<Record<EntryId, Known>>
  readonly reads: readonly PendingRead[]
  readonly carries: readonly Carry[]
  /** The run in which a carry was last brought at the stop: once a run, it costs a model round. */
  readonly stopCarried: RunId | null
  readonly occasions: readonly Occasion[]
  /** A session pack that is still to be served at the next seam: for which trigger. */
  readonly owed: SessionTrigger | null
  /** True once its start was told, or the first moment came without one. */
  readonly started: boolean
  /** True while it is not known what an unknown resume or fork replays. */
  readonly unscanned: boolean
  /** Set once it is known that the session keeps no records. */
  readonly noRecords: boolean
  readonly createdAt: Millis
  readonly seenAt: Millis
}

export function newContext(context: ContextId, at: Millis): ContextState {
  return {
    id: context,
    seq: 0,
    answeredSeq: 0,
    records: null,
    folder: null,
    epoch: 0,
    compactions: { byMoment: 0, byRecords: 0, counted: 0, marks: [] },
    wave: { number: 1, over: false, denied: 0, calls: [], since: at },
    budget: null,
    claims: [],
    gates: {},
    known: {},
    reads: [],
    carries: [],
    stopCarried: null,
    occasions: [],
    owed: null,
    started: false,
    unscanned: false,
    noRecords: false,
    createdAt: at,
    seenAt: at,
  }
}
