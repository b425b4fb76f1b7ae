/**
 * Finds which of many literals stand in a text, in one pass over the text.
 *
 * Each literal is filed under the rarest of its three-character pieces; where such a piece stands, the literal is compared. Cost: the
 * length of the text, and the literals that share a piece with it.
 */

interface Filed {
  readonly literal: string
  /** Where its piece stands in it. */
  readonly offset: number
  readonly refs: readonly number[]
  /** Number of the search that found it last. */
  seen: number
}

const PIECE = 3
const BUCKETS = 1 << 16

export class GramIndex {
  readonly #mayHold = new Uint8Array(BUCKETS)
  readonly #filed = new Map<number, Filed[]>()
  #search = 0

  /** `refs` by literal. Every literal has at least three characters. */
  constructor(literals: ReadonlyMap<string, readonly number[]>) {
    const counts = new Uint32Array(BUCKETS)
    for (const literal of literals.keys()) {
      for (let at = 0; at <= literal.length - PIECE; at += 1) counts[bucketAt(literal, at)]! += 1 // Within bounds: 16 bits.
    }
    for (const [literal, refs] of literals) {
      let offset = 0
      for (let at = 1; at <= literal.length - PIECE; at += 1) {
        if ((counts[bucketAt(literal, at)] ?? 0) < (counts[bucketAt(literal, offset)] ?? 0)) offset = at
      }
      const bucket = bucketAt(literal, offset)
      this.#mayHold[bucket] = 1
      const filed = this.#filed.get(bucket)
      const entry = { literal, offset, refs, seen: 0 }
      if (filed) filed.push(entry)
      else this.#filed.set(bucket, [entry])
    }
  }

  /** Calls `hit` once for each literal that stands in the text. */
  find(text: string, hit: (refs: readonly number[]) => void): void {
    this.#search += 1
    const mayHold = this.#mayHold
    let first = text.charCodeAt(0)
    let second = text.charCodeAt(1)
    for (let at = 0; at <= text.length - PIECE; at += 1) {
      const third = text.charCodeAt(at + 2)
      const bucket = bucketOf(first, second, third)
      if (mayHold[bucket] === 1) this.#compare(bucket, text, at, hit)
      first = second
      second = third
    }
  }

  #compare(bucket: number, text: string, at: number, hit: (refs: readonly number[]) => void): void {
    for (const filed of this.#filed.get(bucket) ?? []) {
      if (filed.seen === this.#search || !text.startsWith(filed.literal, at - filed.offset) || at < filed.offset) continue
      filed.seen = this.#search
      hit(filed.refs)
    }
  }
}

function bucketAt(text: string, at: number): number {
  return bucketOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2))
}

function bucketOf(first: number, second: number, third: number): number {
  return (first * 7_919 + second * 131 + third) & (BUCKETS - 1)
}
