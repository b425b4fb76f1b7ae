/** Carries: text that had no seam at its moment waits for the next one in its context, oldest first, at most three tries (law 14). */
import type { Carry, ContextState } from './context.ts'
import type { Entry } from './entry.ts'
import type { Moment } from './moment.ts'
import type { Candidate, Reservation } from './reserve.ts'
import { isKnown, isPending, putPlain } from './plain.ts'

/** Replies that a carried text is put into before it is given up. */
export const CARRY_TRIES = 3
/** Texts that wait at the same time: more than fit into a budget. */
const MOST_CARRIES = 64

/** Keeps a candidate that has no seam for the next one. */
export function carry(reservation: Reservation, candidate: Candidate): void {
  const { entry, item } = candidate
  const { context, question } = reservation
  // one of an ended run or epoch is dropped at the next seam: it carries nothing any more
  const isThere = context.carries.some((kept) => kept.entry === entry.id && !isOver(kept, entry, reservation))
  if (isKnown(context, entry, question.run)) return reservation.log(candidate, 'known')
  if (isPending(context, entry) || isThere) return reservation.log(candidate, 'pending')
  if (context.carries.length >= MOST_CARRIES) return reservation.log(candidate, 'over_budget')
  const run = question.moment.kind === 'prompt' ? question.run : null
  reservation.keep([...context.carries, { entry: entry.id, hash: entry.hash, item, run, epoch: context.epoch, tries: 0 }])
  reservation.log(candidate, 'carried')
}

/** Puts what waits into a reply, and drops, with a row, what waits no longer. */
export function bringCarries(reservation: Reservation): void {
  const { question } = reservation
  const kept: Carry[] = []
  for (const waiting of reservation.context.carries) {
    const entry = question.carried.get(waiting.entry)
    if (entry === undefined || isOver(waiting, entry, reservation)) {
      reservation.logCarry(waiting, 'carry_dropped')
      continue
    }
    if (isKnown(reservation.context, entry, question.run)) continue
    kept.push(bring(reservation, waiting, entry) ? { ...waiting, tries: waiting.tries + 1 } : waiting)
  }
  reservation.keep(kept)
}

function isOver(waiting: Carry, entry: Entry, { context, question }: Reservation): boolean {
  if (waiting.hash !== entry.hash || waiting.epoch !== context.epoch) return true
  if (waiting.run !== null && waiting.run !== question.run) return true
  return waiting.tries >= CARRY_TRIES && !isPending(context, entry)
}

function bring(reservation: Reservation, { item }: Carry, entry: Entry): boolean {
  const { context, question } = reservation
  if (isPending(context, entry)) return false
  if (question.moment.kind === 'stop' && !mayGoOn(question.moment, entry, context, question.run)) return false
  return putPlain(reservation, { entry, item })
}

/** At the stop a text costs a model round: only where the entry says so, and once a run. */
function mayGoOn(moment: Moment, entry: Entry, context: ContextState, run: ContextState['stopCarried']): boolean {
  return entry.carryToStop && moment.kind === 'stop' && !moment.again && context.stopCarried !== run
}
