/** Sums over one slice of the log: what a report is made of. Sums of several slices are added up by `report/`. */
import type { MissedFact } from '../core/fact.ts'
import type { EntryId, HarnessName, RunId } from '../core/id.ts'
import type { Lift, MomentOutcome, Outcome } from '../core/outcome.ts'
import type { ClaimRow, ObedienceRow } from '../core/row.ts'

/** Moments of one outcome. */
export interface MomentTally {
  readonly harness: HarnessName
  readonly outcome: MomentOutcome
  readonly count: number
  readonly bytes: number
}

/** Candidates that agree in all of these. */
export interface CandidateTally {
  readonly entry: EntryId
  /** Null where the moment belonged to no run. */
  readonly run: RunId | null
  /** At the moment itself. */
  readonly outcome: Outcome
  /** Of its claim; null while there is none, and where nothing is to be proven. */
  readonly verdict: ClaimRow['verdict'] | null
  readonly count: number
  /** UTF-8 bytes charged; those of released claims included. */
  readonly bytes: number
}

export interface GateTally {
  readonly entry: EntryId
  readonly lift: Lift | 'armed'
  readonly count: number
}

export interface ObedienceTally {
  readonly entry: EntryId
  readonly verdict: ObedienceRow['verdict']
  /** True where the entry was not served because the thread is in the holdout group. */
  readonly withheld: boolean
  readonly count: number
}

/** What the harness let pass without us, or against us. */
export interface MissedTally {
  readonly harness: HarnessName
  readonly cause: MissedFact['cause']
  readonly count: number
}

export interface Tally {
  readonly moments: readonly MomentTally[]
  readonly candidates: readonly CandidateTally[]
  readonly gates: readonly GateTally[]
  readonly obedience: readonly ObedienceTally[]
}

/** Where the next slice begins. */
export interface TallyCursor {
  readonly moment: number
  readonly obedience: number
}
