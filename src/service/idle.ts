/** Tells when a server that nobody needs any more may end. */
import type { Millis } from '../core/id.ts'

/**
 * A week without a single moment. Hooks start it again at the start of a session only, so a session that is left open for a night or over
 * a weekend must find it at its next call.
 */
export const IDLE_MS = 7 * 24 * 60 * 60 * 1_000
/** The longest time between two looks: timers stand still while the machine sleeps, and the clock may be set. */
const LOOK_EVERY_MS = 60_000

export interface Idle {
  /** Something happened. */
  touch(): void
  /** How long to wait until the next look; 0: it has been idle for long enough. */
  next(): number
}

export function newIdle(idleMs: number, now: () => Millis): Idle {
  let at = now()
  return {
    touch() {
      at = now()
    },
    next() {
      const left = at + idleMs - now()
      // set back: count from now on
      if (left > idleMs) at = now()
      return Math.max(0, Math.min(left, LOOK_EVERY_MS))
    },
  }
}

/** Resolves once it is idle; never, if it was stopped before. */
export function whenIdle(idle: Idle): { readonly ended: Promise<void>; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  const ended = new Promise<void>((resolve) => {
    const look = (): void => {
      const wait = idle.next()
      if (wait === 0) return resolve()
      // a server that was told to end is not kept by it
      timer = setTimeout(look, wait).unref()
    }
    look()
  })
  return { ended, stop: () => clearTimeout(timer) }
}
