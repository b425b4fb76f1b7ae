/** A plain text in a reply: whether it need not be sent, and as much of it as fits. */
import type { ContextState, Known } from './context.ts'
import type { Entry } from './entry.ts'
import type { RunId } from './id.ts'
import type { Candidate, Reservation } from './reserve.ts'

/** Puts the text in, or a pointer to its file; logs what became of it. False if nothing fitted. */
export function putPlain(reservation: Reservation, candidate: Candidate): boolean {
  const { entry } = candidate
  const known = reservation.context.known[entry.id]
  const wasCut = known?.hash === entry.hash && known.by === 'cut'
  const whole = wasCut ? null : reservation.put(candidate, 'text', 'plain')
  if (whole !== null && whole.claim !== null) {
    reservation.log(candidate, 'served', whole.claim)
    return true
  }
  const pointed = reservation.put(candidate, 'pointer', 'plain')
  reservation.log(candidate, pointed.claim === null ? 'over_budget' : 'pointed', pointed.claim)
  return pointed.claim !== null
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
export function isPending(state: ContextState, entry: Entry): boolean {
  return state.claims.some(
    (claim) =>
      claim.entry === entry.id &&
      claim.entryHash === entry.hash &&
      claim.epoch === state.epoch &&
      claim.form !== 'stub' &&
      (entry.repeat !== 'always' || claim.wave === state.wave.number),
  )
}
