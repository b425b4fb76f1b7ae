/**
 * Which items of the history the model has answered: it wrote something in answer to a request that held them.
 *
 * A compaction in between takes an item out of what is sent; then a later answer says nothing of it.
 */
import type { Item } from './records-line.ts'

/** Items that wait for their answer, oldest first. The next answer comes after some hundred at most. */
const MAX_WAITING = 10_000

export interface Sent {
  readonly item: Item
  answered: boolean
}

export class Answers {
  #waiting: Sent[] = []

  put(item: Item): Sent {
    const sent: Sent = { item, answered: false }
    this.#waiting.push(sent)
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()
    return sent
  }

  /** The model wrote something in answer to a request that held everything up to and with this number. */
  answer(through: number): void {
    const waiting: Sent[] = []
    for (const sent of this.#waiting) {
      if (sent.item.at <= through) sent.answered = true
      else waiting.push(sent)
    }
    this.#waiting = waiting
  }

  compacted(kept: ReadonlySet<string>): void {
    this.#waiting = this.#waiting.filter(({ item }) => kept.has(item.id))
  }
}
