/** How many clients are being handed the same reply: it is dropped only when all of them are gone. */
import type { DeliveryId } from '../core/id.ts'

/** Replies on their way at the same time, with room to spare: what is never settled must not pile up. */
const MOST = 1_000

export class Takers {
  readonly #open = new Map<DeliveryId, number>()

  add(delivery: DeliveryId): void {
    this.#open.set(delivery, (this.#open.get(delivery) ?? 0) + 1)
    const oldest = this.#open.keys().next().value
    if (this.#open.size > MOST && oldest !== undefined) this.#open.delete(oldest)
  }

  /** `wait`: another client may still take the reply. */
  settled(delivery: DeliveryId, outcome: 'handed' | 'dropped'): 'wait' | 'done' {
    const left = (this.#open.get(delivery) ?? 1) - 1
    if (outcome === 'handed' || left <= 0) {
      this.#open.delete(delivery)
      return 'done'
    }
    this.#open.set(delivery, left)
    return 'wait'
  }
}
