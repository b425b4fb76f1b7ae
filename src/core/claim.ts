/** A claim: one entry within one delivery. Reserved, then settled or released, then judged. */
import type { CallId, ClaimId, DeliveryId, EntryId, Millis, RunId, TextHash } from './id.ts'
import type { MomentKind } from './moment.ts'

export type Lane = 'rules' | 'router'

/** Where the harness was asked to put the text, so that it is looked for there and nowhere else (law 10). */
export interface Place {
  readonly moment: MomentKind
  readonly event: string
  /** The call whose result, or whose context, carries the text. */
  readonly call: CallId | null
  /** `context`: text beside; `reason`: text inside the deny itself. */
  readonly way: 'context' | 'reason'
}

export interface Claim {
  readonly id: ClaimId
  readonly delivery: DeliveryId
  readonly entry: EntryId
  /** Hash of the entry as it was (law 15). */
  readonly entryHash: TextHash
  /** Hash of the very text between the claim's marks: what must stand whole. */
  readonly textHash: TextHash
  /** `text` the entry's text; `pointer` one line that names a file; `stub` a deny beside another call of the wave that carries the text. */
  readonly form: 'text' | 'pointer' | 'stub'
  /** Why it was handed over: beside a moment, or with a deny. */
  readonly role: 'plain' | 'hold' | 'forbid'
  readonly lane: Lane
  /** UTF-8 bytes charged. */
  readonly bytes: number
  readonly run: RunId
  readonly epoch: number
  readonly wave: number
  /** Number of the moment in its context. */
  readonly seq: number
  readonly place: Place
  readonly state: 'reserved' | 'settled'
  readonly at: Millis
  /** Size of the records when it was reserved: proof stands behind this. */
  readonly recordsFrom: number
  /** Looks that came after a later moment of the context and found nothing. */
  readonly failedLooks: number
  /** The host's record may prove it, where the session has no records of its own. */
  readonly byHost?: true
  /** The entry says how obeying it looks. */
  readonly isWatched: boolean
}

/** True if what is kept is of a later text than the claim's: what is heard late of the old one changes nothing of it (law 15). */
export function isOutdated(claim: Claim, kept: { readonly hash: TextHash; readonly seq?: number } | undefined): boolean {
  return kept !== undefined && kept.hash !== claim.entryHash && (kept.seq ?? 0) > claim.seq
}
