/** The deny of one call: forbid first, gates by priority, one deny for all (laws 5 and 6). */
import type { Claim } from './claim.ts'
import { compactStubFor, noticeFor, stubFor } from './compose.ts'
import type { ContextState, Wave } from './context.ts'
import type { Decision } from './decide.ts'
import { isGate, isPointer, type Entry } from './entry.ts'
import { gateOf, liftOf } from './gate.ts'
import type { EntryId } from './id.ts'
import type { Moment } from './moment.ts'
import type { Candidate, Form, Reservation } from './reserve.ts'

/** True if the entry stops a call that it matches: a forbid that no person lifted, or an armed gate. */
export function mustDeny(state: ContextState, entry: Entry): boolean {
  if (entry.forbid) return gateOf(state, entry).lifted !== 'by-hand'
  return isGate(entry) && liftOf(state, entry) === null
}

/** Null when no held call can be told why (law 2): then it is let through, and the rows say so. */
export function denyCall(reservation: Reservation, denying: readonly Candidate[], rest: readonly Candidate[]): Decision | null {
  const open = openClaims(reservation.context)
  const untold: Candidate[] = []
  let first: Entry | null = null
  for (const candidate of denying) {
    const told = tell(reservation, candidate, open.get(candidate.entry.id) ?? [])
    if (told) first ??= candidate.entry
    else untold.push(candidate)
  }
  if (first === null) {
    for (const candidate of untold) reservation.log(candidate, 'let_through')
    return null
  }
  for (const candidate of untold) reservation.log(candidate, 'held_waiting')
  for (const candidate of rest) reservation.log(candidate, isGate(candidate.entry) || candidate.entry.forbid ? 'lifted' : 'waiting')

  const context = reservation.context
  return {
    context: { ...context, wave: deniedIn(context.wave, reservation.question.moment) },
    notes: reservation.notes,
    reply: {
      kind: 'deny',
      delivery: reservation.question.delivery,
      ...worded(reservation, first),
      notice: noticeFor(first),
    },
    rows: reservation.rows,
  }
}

/** Where the harness drops or hides what stands beside a deny, the text goes inside its reason. */
function worded({ text, question, frame }: Reservation, first: Entry): { readonly reason: string; readonly text: string } {
  if (text === '') return { reason: stubFor(first, 'another'), text }
  if (question.profile.denyText === 'context') return { reason: stubFor(first, 'beside'), text }
  const stub = frame.framing === 'compact' ? compactStubFor(first) : stubFor(first, 'below')
  return { reason: `${stub}\n${text}`, text: '' }
}

/** Puts the entry's text into the deny, as much of it as there is room for. False if the entry has no say in this deny. */
function tell(reservation: Reservation, candidate: Candidate, ofEntry: readonly Claim[]): boolean {
  const { entry } = candidate
  const state = reservation.standing
  const role: Claim['role'] = entry.forbid ? 'forbid' : 'hold'
  const open = ofEntry.filter((claim) => claim.entryHash === entry.hash)

  // the text is sent once a wave: the other denies of the wave stand beside it
  if (open.some((claim) => claim.wave === state.wave.number && claim.role === role)) {
    if (entry.forbid) logForbidden(reservation, candidate)
    else reservation.log(candidate, 'held_beside', reservation.stub(candidate, role))
    return true
  }
  const known = state.known[entry.id]
  const wasTold = known !== undefined && known.hash === entry.hash && known.by !== 'loaded'
  if (entry.forbid && wasTold && known.by !== 'cut') {
    logForbidden(reservation, candidate)
    return true
  }
  // shorter the second time: the text is on its way, or was cut, or its file was already named
  const form = wasTold || open.length > 0 ? 'pointer' : 'text'
  return putWhole(reservation, candidate, form, role) || putNothing(reservation, candidate, role)
}

function putWhole(reservation: Reservation, candidate: Candidate, form: 'text' | 'pointer', role: Claim['role']): boolean {
  for (const next of formsFrom(form, candidate.entry, reservation)) {
    const tried = reservation.put(candidate, next, role)
    if (tried.claim !== null) {
      reservation.log(candidate, role === 'forbid' ? 'forbidden' : 'held', tried.claim)
      return true
    }
    // it fits a fresh answer: it stays armed and comes whole at the retry
    if (tried.fit === 'answer' && role === 'hold') return false
  }
  return false
}

/** What is tried, in order. Where room is short, a note has the shorter path and no front matter; files to read are named themselves. */
function formsFrom(form: 'text' | 'pointer', entry: Entry, { frame }: Reservation): readonly Form[] {
  const pointers: readonly Form[] = frame.framing === 'full' ? ['pointer'] : isPointer(entry) ? ['pointer', 'note'] : ['note']
  return form === 'text' ? ['text', ...pointers] : pointers
}

/** A forbidden call is denied all the same, a held one is not. */
function putNothing(reservation: Reservation, candidate: Candidate, role: Claim['role']): boolean {
  if (role !== 'forbid') return false
  logForbidden(reservation, candidate)
  return true
}

/** Nothing of a forbid counts when the deny was handed over: one stub in a deny without a text is enough, which is what is settled. */
function logForbidden(reservation: Reservation, candidate: Candidate): void {
  reservation.log(candidate, 'forbidden', reservation.hasClaim ? null : reservation.stub(candidate, 'forbid'))
}

/** Of this epoch, with a text or a pointer, by their entries: a deny may have many. */
function openClaims({ claims, epoch }: ContextState): ReadonlyMap<EntryId, readonly Claim[]> {
  const found = new Map<EntryId, Claim[]>()
  for (const claim of claims) {
    if (claim.epoch !== epoch || claim.form === 'stub') continue
    const ofEntry = found.get(claim.entry)
    if (ofEntry === undefined) found.set(claim.entry, [claim])
    else ofEntry.push(claim)
  }
  return found
}

function deniedIn(wave: Wave, moment: Moment): Wave {
  const call = 'call' in moment ? moment.call.id : null
  return { ...wave, denied: wave.denied + 1, calls: call === null ? wave.calls : [...wave.calls, call] }
}
