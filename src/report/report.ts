/** What a report says, as data: for the HTTP interface, the command line and the dashboard. */
import type { EntryId, Millis } from '../core/id.ts'
import type { Lift } from '../core/outcome.ts'
import type { MissedTally } from '../state/tally.ts'

/** What the agent did after the text was handed over, or where it was withheld. */
export interface Conduct {
  readonly obeyed: number
  readonly violated: number
  readonly noOccasion: number
}

/** What became of claims: texts that were put into replies. */
export interface Verdicts {
  readonly shown: number
  readonly hidden: number
  readonly cut: number
  readonly unverified: number
  /** No verdict yet. */
  readonly open: number
  /** Dropped by the client, or nobody said that they were handed over: they never counted as served. */
  readonly released: number
}

export interface EntryReport {
  readonly entry: EntryId
  /** Its trigger matched a moment. */
  readonly fired: number
  /** Texts and pointers that were put into replies, those with a deny included. */
  readonly served: number
  readonly verdicts: Verdicts
  /** Shown ones of those that have a verdict, from 0 to 1; null while none has one. */
  readonly shownShare: number | null
  /** Calls that it held. */
  readonly held: number
  /** Calls that it forbade. */
  readonly forbidden: number
  /** How its gates lifted. */
  readonly lifted: Readonly<Partial<Record<Lift, number>>>
  /** Times at which it was left out although its trigger matched: no room, no seam. */
  readonly leftOut: number
  /** Times at which it was withheld: the thread is in the holdout group. */
  readonly withheld: number
  /** UTF-8 bytes handed over; what was released or hidden is not in it. */
  readonly bytes: number
  /** Runs in which it was served. */
  readonly runs: number
  readonly bytesPerRun: number | null
  /** Where it was served, and where it was withheld. */
  readonly conduct: { readonly served: Conduct; readonly withheld: Conduct }
}

export interface Report {
  readonly since: Millis
  readonly until: Millis
  readonly moments: { readonly total: number; readonly denied: number; readonly notAnalysed: number; readonly failed: number }
  readonly runs: number
  readonly bytes: number
  /** Of runs in which anything was served. */
  readonly bytesPerRun: number | null
  readonly claims: Verdicts & {
    readonly total: number
    /** Shown, hidden or cut ones of those that have a verdict, from 0 to 1: how much can be told at all. */
    readonly provenShare: number | null
  }
  /** Those that were served most, first. */
  readonly entries: readonly EntryReport[]
  /** Entries in force whose trigger never matched. */
  readonly neverFired: readonly EntryId[]
  /** Entries that were served and then violated at least as often as obeyed. */
  readonly ignored: readonly EntryId[]
  /** What harnesses let pass without us, or against us, by day: from the day of `since` on. */
  readonly missed: readonly MissedTally[]
}
