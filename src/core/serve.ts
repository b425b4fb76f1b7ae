/** Text beside a moment: what is not known yet, as much as fits, the rest as one-line pointers. */
import { bringCarries } from './carry.ts'
import type { ContextState } from './context.ts'
import type { Decision } from './decide.ts'
import { isGate } from './entry.ts'
import { liftOf } from './gate.ts'
import { isKnown, isPending, putPlain } from './plain.ts'
import { NOTHING } from './reply.ts'
import type { Candidate, Reservation } from './reserve.ts'

export function serve(reservation: Reservation, candidates: readonly Candidate[]): Decision {
  bringCarries(reservation)
  // a carry that was dropped says nothing about what this moment itself asks for
  const logged = new Set(reservation.rows.filter((row) => row.outcome !== 'carry_dropped').map((row) => row.entry))
  for (const candidate of candidates) {
    if (!logged.has(candidate.entry.id)) serveOne(reservation, candidate)
  }
  const { delivery } = reservation.question
  const { moment, packAsked, run } = reservation.question
  const reserved = reservation.context
  const context: ContextState = {
    ...reserved,
    owed: packAsked ? null : reserved.owed,
    stopCarried: moment.kind === 'stop' && reservation.hasText ? run : reserved.stopCarried,
  }
  return {
    context,
    reply: reservation.hasText ? { kind: 'serve', delivery, text: reservation.text } : NOTHING,
    rows: reservation.rows,
    notes: [],
  }
}

function serveOne(reservation: Reservation, candidate: Candidate): void {
  const { entry } = candidate
  const { question, context } = reservation
  if (question.holdout && entry.holdout && !entry.mustKnow && !entry.forbid) {
    reservation.withhold(entry)
    return reservation.log(candidate, 'withheld')
  }
  if (isGate(entry) && question.moment.kind === 'before-tool' && liftOf(context, entry) !== null)
    return reservation.log(candidate, 'lifted')
  // a forbid that a person lifted has no say any more
  if (entry.forbid && question.moment.kind === 'before-tool') return reservation.log(candidate, 'lifted')
  if (isKnown(context, entry, question.run)) return reservation.log(candidate, 'known')
  if (isPending(context, entry)) return reservation.log(candidate, 'pending')

  putPlain(reservation, candidate)
}
