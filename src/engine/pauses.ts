/**
 * Pauses between the looks of one request, up to its end. Where the event loop is behind they grow: hundreds that look again and again would
 * make each other late.
 */
import { performance } from 'node:perf_hooks'

/** Pause between two looks of one request. */
export const RETRY_MS = 20
/** Of the time by which the last pause ended late. */
const BEHIND_FACTOR = 4

export class Pauses {
  readonly #end: number
  #ms = RETRY_MS

  /** `end`: by the monotonic clock. */
  constructor(end: number) {
    this.#end = end
  }

  async next(): Promise<void> {
    const from = performance.now()
    const ms = Math.min(this.#ms, Math.max(this.#end - from, 1))
    await new Promise((resolve) => setTimeout(resolve, ms))
    const lateBy = performance.now() - from - ms
    this.#ms = lateBy > RETRY_MS ? RETRY_MS + BEHIND_FACTOR * lateBy : RETRY_MS
  }
}
