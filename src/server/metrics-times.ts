/** How long moments take in the server, from the request's arrival until its answer is ready: a histogram. */
import type { MiddlewareHandler } from 'hono'
import type { ServerEnv } from './app.ts'
import type { Metric, Sample } from './metrics-text.ts'

/** Upper ends of the buckets in seconds: from an idle server to the deadline of 700 ms and past it. */
const BUCKETS_S = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.7, 1] as const

export interface MomentTimes {
  /** A moment that arrived at this time is answered now. */
  took(from: number): void
  /** Stands before the route of moments. */
  readonly measure: MiddlewareHandler<ServerEnv>
  metric(): Metric
}

/** `clock`: monotonic milliseconds. */
export function newMomentTimes(clock: () => number = () => performance.now()): MomentTimes {
  const counts = BUCKETS_S.map(() => 0)
  let count = 0
  let sum = 0
  const took = (from: number): void => {
    const seconds = (clock() - from) / 1_000
    count++
    sum += seconds
    const bucket = BUCKETS_S.findIndex((end) => seconds <= end)
    if (bucket !== -1) counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  return {
    took,
    async measure(_, next) {
      const from = clock()
      await next()
      took(from)
    },
    metric() {
      let upTo = 0
      const buckets = BUCKETS_S.map((end, index): Sample => {
        upTo += counts[index] ?? 0
        return [{ le: String(end) }, upTo, '_bucket']
      })
      return {
        name: 'moment_seconds',
        type: 'histogram',
        help: 'Time from the arrival of a moment until its answer was ready.',
        samples: [...buckets, [{ le: '+Inf' }, count, '_bucket'], [{}, sum, '_sum'], [{}, count, '_count']],
      }
    },
  }
}
