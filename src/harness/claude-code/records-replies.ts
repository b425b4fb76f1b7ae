/**
 * Answers by the order of lines, where no record of the request tells.
 *
 * A text was answered when the model wrote, after it, something that belongs to another request than the call's own. Held for 314 of
 * 314 denied results and 192 of 192 context lines in recorded sessions.
 */

/** Requests that are remembered, newest last. */
const MAX_REFS = 4_096

interface Ref {
  readonly ref: string
  /** Line at which it was first seen: its record, or else the first line of its reply. */
  readonly first: number
  /** First seen by its record, so that it is known when it was sent. */
  readonly wasRecorded: boolean
  replied: boolean
}

/** The request to which a call belongs: its id; `none`: no call; `unknown`: the call's line was written before the scan began. */
export type OwnRequest = { readonly ref: string } | 'none' | 'unknown'

export class Replies {
  #refs = new Map<string, Ref>()
  #order: Ref[] = []

  /** Its record was seen. */
  recorded(ref: string, at: number): void {
    this.#see(ref, at, true)
  }

  /** A line of its reply was seen. */
  replied(ref: string, at: number): void {
    this.#see(ref, at, false).replied = true
  }

  hasReply(ref: string): boolean {
    return this.#refs.get(ref)?.replied === true
  }

  /** True if the model answered a request that was sent after this line. `counts` can leave requests out. */
  isAnswered(at: number, own: OwnRequest, counts: (ref: string) => boolean = () => true): boolean {
    const later: Ref[] = []
    for (let index = this.#order.length - 1; index >= 0; index -= 1) {
      const ref = this.#order[index]
      if (ref === undefined || ref.first <= at) break
      if (ref.replied && counts(ref.ref) && !(typeof own === 'object' && own.ref === ref.ref)) later.push(ref)
    }
    if (own !== 'unknown') return later.length > 0
    // the reply that made the call may still be writing: the first request that shows up may be its own (G19)
    return later.some((ref) => ref.wasRecorded) || later.length > 1
  }

  #see(ref: string, at: number, wasRecorded: boolean): Ref {
    const known = this.#refs.get(ref)
    if (known !== undefined) return known
    const seen: Ref = { ref, first: at, wasRecorded, replied: false }
    this.#refs.set(ref, seen)
    this.#order.push(seen)
    if (this.#order.length > MAX_REFS * 2) {
      this.#order = this.#order.slice(-MAX_REFS)
      this.#refs = new Map(this.#order.map((kept) => [kept.ref, kept]))
    }
    return seen
  }
}
