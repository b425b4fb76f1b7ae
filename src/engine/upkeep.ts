/** What the state needs now and then, when nobody waits: old rows deleted in slices, its log written back. */
import type { Millis } from '../core/id.ts'
import type { State } from '../state.ts'
import { retention } from './retention.ts'

const PRUNE_EVERY_MS = 60 * 1_000
/** Written back when no moment came for this long: that takes some 50 ms. */
const IDLE_MS = 3_000

export interface UpkeepOptions {
  readonly state: State
  readonly now: () => Millis
  readonly lastMomentAt: () => Millis
  readonly onError: (error: unknown) => void
}

/** Returns the way to stop. */
export function startUpkeep({ state, now, lastMomentAt, onError }: UpkeepOptions): () => void {
  const guarded = (work: () => void) => {
    try {
      work()
    } catch (error) {
      onError(error)
    }
  }
  const prune = () =>
    guarded(() => {
      if (state.prune(retention(now()))) setTimeout(prune, 0).unref()
    })
  const checkpoint = () =>
    guarded(() => {
      if (now() - lastMomentAt() >= IDLE_MS) state.checkpoint()
    })
  const timers = [setInterval(prune, PRUNE_EVERY_MS).unref(), setInterval(checkpoint, IDLE_MS).unref()]
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}
