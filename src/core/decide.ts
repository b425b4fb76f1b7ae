/**
 * What to answer to one moment: nothing, text, or a deny with text beside it.
 *
 * Pure. The caller has already observed the moment (`observe`), applied what evidence there is (`judge`) and expired what nobody
 * settled (`expire`). Budgets are charged here, when a claim is reserved.
 */
import { budgetFor } from './budget.ts'
import { COMPACT_STUB, STUB_BYTES } from './compose.ts'
import { carry } from './carry.ts'
import type { ContextState } from './context.ts'
import { denyCall, mustDeny } from './deny.ts'
import { byPrecedence, type Entry } from './entry.ts'
import type { DeliveryId, EntryId, Millis, RunId, TextHash } from './id.ts'
import type { Moment } from './moment.ts'
import type { Profile, Seam } from './profile.ts'
import { NOTHING, type Reply } from './reply.ts'
import type { CandidateRow } from './row.ts'
import { Reservation, type Frame } from './reserve.ts'
import { serve } from './serve.ts'

export interface Question {
  readonly moment: Moment
  readonly candidates: readonly { readonly entry: Entry; readonly item: number }[]
  /** Entries by id, for what is carried. */
  readonly carried: ReadonlyMap<EntryId, Entry>
  readonly profile: Profile
  /** Path of an entry's note. */
  readonly noteOf: (entry: Entry) => string
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
  /** Entries whose text must stand in their note before the reply goes out. */
  readonly notes: readonly Entry[]
}

export function decide(before: ContextState, question: Question): Decision {
  const candidates = question.candidates.toSorted((a, b) => byPrecedence(a.entry, b.entry))
  const { moment, profile } = question
  const seam = moment.noSeam === true ? undefined : profile.seams[moment.kind]
  const context = { ...before, budget: budgetFor(before, question.run) }
  let rows: readonly CandidateRow[] = []

  if (moment.kind === 'before-tool' && seam?.deny === true) {
    const denying = candidates.filter(({ entry }) => mustDeny(before, entry))
    if (denying.length > 0) {
      const rest = candidates.filter(({ entry }) => !mustDeny(before, entry))
      const reservation = new Reservation(context, question, denyFrame(profile, seam))
      const denied = denyCall(reservation, denying, rest)
      if (denied !== null) return denied
      rows = reservation.rows
    }
  }
  const reservation = new Reservation(context, question, { limit: seam?.inject ?? null, framing: 'full' }, rows)
  if (seam === undefined || seam.inject === null) {
    const logged = new Set(rows.map((row) => row.entry))
    for (const candidate of candidates) if (!logged.has(candidate.entry.id)) carry(reservation, candidate)
    return { context: reservation.context, reply: NOTHING, rows: reservation.rows, notes: [] }
  }
  return serve(reservation, candidates)
}

/** A reason of a few hundred characters has room for one short text, or for the name of a note. */
const COMPACT_BELOW = 1_000

/** What a deny can hold: beside its reason what the seam takes, inside it what the reason takes, less the stub and a line break. */
function denyFrame({ denyText, denyReason }: Profile, seam: Seam): Frame {
  if (denyText === 'context') return { limit: seam.inject, framing: 'full' }
  const reason = denyReason ?? seam.inject
  if (reason === null) return { limit: null, framing: 'full' }
  const framing = reason.max < COMPACT_BELOW ? 'compact' : 'full'
  const stub = framing === 'compact' ? COMPACT_STUB : STUB_BYTES
  return { limit: { unit: reason.unit, max: reason.max - stub - 1 }, framing }
}
