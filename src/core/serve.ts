/** Text beside a moment: what is not known yet, as much as fits, the rest as one-line pointers. */
import type { ContextState, Known } from './context.ts'
import type { Decision } from './decide.ts'
import { isGate, type Entry } from './entry.ts'
import { liftOf } from './gate.ts'
import type { RunId } from './id.ts'
import { NOTHING } from './reply.ts'
import type { Candidate, Reservation } from './reserve.ts'

export function serve(reservation: Reservation, candidates: readonly Candidate[]): Decision {
  const logged = new Set(reservation.rows.map((row) => row.entry))
  for (const candidate of candidates) {
    if (!logged.has(candidate.entry.id)) serveOne(reservation, candidate)
  }
  const { delivery } = reservation.question
  const context: ContextState = { ...reservation.context, owed: reservation.question.packAsked ? null : reservation.context.owed }
  return {
    context,
    reply: reservation.hasText ? { kind: 'serve', delivery, text: reservation.text } : NOTHING,
    rows: reservation.rows,
  }
}

function serveOne(reservation: Reservation, candidate: Candidate): void {
  const { entry } = candidate
  const { question, context } = reservation
  if (question.holdout && entry.holdout && !entry.mustKnow && !entry.forbid) return reservation.log(candidate, 'withheld')
  if (isGate(entry) && question.moment.kind === 'before-tool' && liftOf(context, entry) !== null)
    return reservation.log(candidate, 'lifted')
  // a forbid that a person lifted has no say any more
  if (entry.forbid && question.moment.kind === 'before-tool') return reservation.log(candidate, 'lifted')
  if (isKnown(context, entry, question.run)) return reservation.log(candidate, 'known')
  if (isPending(context, entry)) return reservation.log(candidate, 'pending')

  const wasCut = context.known[entry.id]?.hash === entry.hash && context.known[entry.id]?.by === 'cut'
  const whole = wasCut ? null : reservation.put(candidate, 'text', 'plain')
  if (whole !== null && whole.claim !== null) return reservation.log(candidate, 'served', whole.claim)
  const pointed = reservation.put(candidate, 'pointer', 'plain')
  if (pointed.claim !== null) return reservation.log(candidate, 'pointed', pointed.claim)
  reservation.log(candidate, 'over_budget')
}

/** True if the entry's text, or the pointer to it, need not be sent again. */
export function isKnown(state: ContextState, entry: Entry, run: RunId): boolean {
  const known: Known | undefined = state.known[entry.id]
  if (known === undefined || known.hash !== entry.hash) return false
  if (entry.repeat === 'always') return false
  if (entry.repeat === 'run' && known.run !== run) return false
  switch (known.by) {
    case 'shown':
    case 'loaded':
    case 'unverified':
      return true
    case 'pointer':
      // a pointer entry says all it has to say; of an inline entry only its file was named, and the next run may have room for it
      return entry.read.length > 0 || known.run === run
    case 'cut':
      return false
    default:
      return known.by satisfies never
  }
}

/** True if the text is on its way from an earlier reply of this epoch. */
function isPending(state: ContextState, entry: Entry): boolean {
  return state.claims.some(
    (claim) =>
      claim.entry === entry.id &&
      claim.entryHash === entry.hash &&
      claim.epoch === state.epoch &&
      claim.form !== 'stub' &&
      (entry.repeat !== 'always' || claim.wave === state.wave.number),
  )
}
