/** Rows that a decision or a judgement writes into the log. */
import type { Claim, Lane } from './claim.ts'
import type { ClaimId, ContextId, EntryId, Millis, RunId, TextHash } from './id.ts'
import type { Lift, Outcome } from './outcome.ts'

/** One row per candidate of a moment. `outcome` is completed when its claim is judged. */
export interface CandidateRow {
  readonly entry: EntryId
  readonly entryHash: TextHash
  readonly outcome: Outcome
  readonly claim: ClaimId | null
  /** Of its claim: what a fork or a resume that replays it holds. Absent where there is none. */
  readonly form?: Claim['form']
  readonly lane: Lane
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

/** What the agent did after a text was handed over. */
export interface ObedienceRow {
  /** Null: the text was withheld, this is what the agent does without it. */
  readonly claim: ClaimId | null
  readonly entry: EntryId
  readonly run: RunId
  readonly verdict: 'obeyed' | 'violated' | 'no_occasion'
  readonly at: Millis
}
