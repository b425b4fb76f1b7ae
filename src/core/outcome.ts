/** What became of a candidate, a claim or a moment. Each table is the one source: types, docs and screens derive from it. */

/** Outcome of a candidate at the moment itself, and later of its claim. */
export const OUTCOMES = {
  // at the moment
  served: 'its text was put into the reply',
  pointed: 'a one-line pointer to its file was put into the reply',
  held: 'the call was denied until its gate lifts, and its text or a pointer to it went along',
  held_beside: 'the call was denied; the text went along with another call of the same wave',
  held_waiting: 'the call was denied for another entry; this one stays armed and comes at the retry',
  forbidden: 'the call was denied for good',
  known: 'its text is still in what the model is sent',
  pending: 'its text is on its way from an earlier moment; no proof yet',
  waiting: 'a plain entry of a denied call: it waits for the retry',
  lifted: 'its gate is lifted, the call may go on',
  over_budget: 'it did not fit in what was left of the run, not even as a pointer',
  let_through: 'a held call was let through: not even a pointer fitted',
  no_seam: 'the harness takes no text at this moment',
  carried: 'the harness takes no text at this moment; it waits for the next one that does',
  carry_dropped: 'its carry ended with the run or the epoch, or after three tries',
  withheld: 'the thread is in the holdout group',
  off: 'serving was switched off',
  // of the claim, later
  shown: 'it stood whole in what the model was sent, and the model answered',
  hidden: 'something else stood in its place, or it never arrived',
  cut: 'not the whole text arrived',
  unverified: 'no verdict could be had',
  dropped: 'the client closed before the reply was written out, or said that it dropped it',
  delivery_unverified: 'nobody said within two seconds that the reply was handed over',
} as const
export type Outcome = keyof typeof OUTCOMES

/** A claim's final word. */
export type Verdict = 'shown' | 'hidden' | 'cut' | 'unverified'

/** Why a gate is lifted. */
export const LIFTS = {
  read: 'the file was read',
  shown: 'its text was shown',
  capped: 'three waves of denies were shown',
  unproven: 'five waves were held and no proof could be had',
  assumed: 'the session has no records: one deny was handed over',
  'by-hand': 'a person lifted it',
} as const
export type Lift = keyof typeof LIFTS

/** What became of a moment as a whole. */
export const MOMENT_OUTCOMES = {
  nothing: 'nothing to serve',
  served: 'text was put into the reply',
  denied: 'the call was denied',
  off: 'serving was switched off',
  repeated: 'the same delivery again: the same reply',
  not_analysed: 'the event could not be analysed',
  failed: 'something failed; the agent went on as if we were not there',
} as const
export type MomentOutcome = keyof typeof MOMENT_OUTCOMES
