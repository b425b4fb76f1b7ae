/** Where the texts of our claims stand in a session: in a message, in the result of a call, or as the error of a denied one. */
import { createHash } from 'node:crypto'
import type { Place } from '../../core/claim.ts'
import type { ClaimId } from '../../core/id.ts'
import { findMarks, MARK_START } from '../../core/mark.ts'

/** Parts with marks that are remembered, oldest forgotten first: more than a conversation holds. */
const MAX_PARTS = 5_000

export interface Placed {
  readonly claim: ClaimId
  /** Hash of the text between its marks; null: it has no end, it was cut. */
  readonly hash: string | null
  readonly way: Place['way']
  /** The call whose result it stands in; null: it stands in a message. */
  readonly call: string | null
  readonly message: string
  /** Number of its row. */
  readonly at: number
  /** The model has answered a request that held it. */
  isAnswered: boolean
  /** It is in what the next request will hold. */
  isStanding: boolean
}

export class PlacedTexts {
  readonly #byPart = new Map<string, readonly Placed[]>()
  /** Claims that an answered request held and none holds any more, since the last compaction. */
  readonly #gone = new Set<ClaimId>()

  /** What stands in a part now, in place of what stood there before. */
  put(part: string, text: string, where: Pick<Placed, 'way' | 'call' | 'message' | 'at'>): void {
    const before = this.#byPart.get(part)
    if (before === undefined && !text.includes(MARK_START)) return
    const placed = findMarks(text).map((mark): Placed => {
      const hash = mark.text === null ? null : sha256(mark.text)
      const same = before?.find((one) => one.claim === mark.claim && one.hash === hash)
      // a later row of the same part tells the same once more
      return same ?? { ...where, claim: mark.claim, hash, isAnswered: false, isStanding: true }
    })
    for (const lost of before ?? []) if (!placed.includes(lost)) this.#lose(lost)
    this.#byPart.delete(part)
    if (placed.length > 0) this.#byPart.set(part, placed)
    if (this.#byPart.size <= MAX_PARTS) return
    const oldest = this.#byPart.keys().next().value
    if (oldest !== undefined) this.#byPart.delete(oldest)
  }

  /** A request was answered that was made after row `sentAt`. */
  answered(sentAt: number): void {
    for (const placed of this.#all()) if (placed.isStanding && placed.at < sentAt) placed.isAnswered = true
  }

  /** `isKept`: the message still stands after the compaction. */
  compacted(isKept: (message: string) => boolean): void {
    for (const placed of this.#all()) if (!isKept(placed.message)) placed.isStanding = false
    this.#gone.clear()
  }

  removed(message: string, part: string | null): void {
    if (part !== null) return this.put(part, '', { way: 'context', call: null, message, at: 0 })
    for (const [id, placed] of this.#byPart) if (placed.some((one) => one.message === message)) this.removed(message, id)
  }

  /** What stands, or stood, at the place where a claim's text was put, and nowhere else (law 10). */
  at(claim: ClaimId, place: Place): readonly Placed[] {
    return [...this.#all()].filter((placed) => placed.claim === claim && placed.way === place.way && placed.call === place.call)
  }

  /** Claims whose whole text the next request will hold. */
  standing(): readonly ClaimId[] {
    return [...new Set([...this.#all()].flatMap((placed) => (placed.isStanding && placed.hash !== null ? [placed.claim] : [])))]
  }

  gone(): readonly ClaimId[] {
    const standing = new Set(this.standing())
    return [...this.#gone].filter((claim) => !standing.has(claim))
  }

  #lose(placed: Placed): void {
    if (placed.isStanding && placed.isAnswered) this.#gone.add(placed.claim)
  }

  *#all(): Iterable<Placed> {
    for (const placed of this.#byPart.values()) yield* placed
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
