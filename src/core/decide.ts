/**
 * What to answer to one moment: nothing, text, or a deny with text beside it.
 *
 * Pure. The caller has already observed the moment (`observe`), applied what evidence there is (`judge`) and expired what nobody
 * settled (`expire`). Budgets are charged here, when a claim is reserved.
 */
import { budgetFor } from './budget.ts'
import { carry } from './carry.ts'
import type { ContextState } from './context.ts'
import { denyCall, mustDeny } from './deny.ts'
import { byPrecedence, type Entry } from './entry.ts'
import type { DeliveryId, EntryId, Millis, RunId, TextHash } from './id.ts'
import type { Moment } from './moment.ts'
import type { Profile } from './profile.ts'
import { NOTHING, type Reply } from './reply.ts'
import type { CandidateRow } from './row.ts'
import { Reservation } from './reserve.ts'
import { serve } from './serve.ts'

export interface Question {
  readonly moment: Moment
  readonly candidates: readonly { readonly entry: Entry; readonly item: number }[]
  /** Entries by id, for what is carried. */
  readonly carried: ReadonlyMap<EntryId, Entry>
  readonly profile: Profile
  readonly run: RunId
  readonly delivery: DeliveryId
  /** Short and unlike any other: the claims of the reply are named by it, `MARK.1`, `MARK.2`, … */
  readonly mark: string
  /** True if the thread is in the holdout group. */
  readonly holdout: boolean
  readonly now: Millis
  /** True if the candidates hold those of a pack that was still owed: served, it is owed no more. */
  readonly packAsked: boolean
  /** Size of the records in bytes: proof stands behind this. */
  readonly recordsFrom: number
  readonly hashOf: (text: string) => TextHash
}

export interface Decision {
  readonly context: ContextState
  readonly reply: Reply
  readonly rows: readonly CandidateRow[]
}

export function decide(before: ContextState, question: Question): Decision {
  const candidates = question.candidates.toSorted((a, b) => byPrecedence(a.entry, b.entry))
  const seam = question.profile.seams[question.moment.kind]
  const reservation = new Reservation({ ...before, budget: budgetFor(before, question.run) }, question, seam?.inject ?? null)

  if (question.moment.kind === 'before-tool' && seam?.deny === true) {
    const denying = candidates.filter(({ entry }) => mustDeny(before, entry))
    if (denying.length > 0) {
      const rest = candidates.filter(({ entry }) => !mustDeny(before, entry))
      const denied = denyCall(reservation, denying, rest)
      if (denied !== null) return denied
    }
  }
  if (seam === undefined || seam.inject === null) {
    for (const candidate of candidates) carry(reservation, candidate)
    return { context: reservation.context, reply: NOTHING, rows: reservation.rows }
  }
  return serve(reservation, candidates)
}
