/**
 * How long the event loop was held up at most since the server listens: while it is, no moment is answered.
 *
 * Part of health's counters at all times. The machine's other work counts too: a busy processor looks like a blocked loop.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How often the loop is asked to come by. What holds it up is told short by this much at most. */
const ASKED_EVERY_MS = 10
const NS_PER_MS = 1e6

export interface LoopDelay {
  /** Whole milliseconds, rounded up. */
  max(): number
  stop(): void
}

export function watchLoopDelay(): LoopDelay {
  const delays = monitorEventLoopDelay({ resolution: ASKED_EVERY_MS })
  delays.enable()
  return {
    // an undisturbed loop comes by once in that time
    max: () => Math.max(0, Math.ceil(delays.max / NS_PER_MS - ASKED_EVERY_MS)),
    stop: () => void delays.disable(),
  }
}
