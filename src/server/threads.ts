/** `GET /contextmd/v1/threads`: threads with what happened in them, the one seen last first. */
import type { Handler } from 'hono'
import { z } from 'zod'
import type { Logbook } from '../engine/logbook.ts'
import type { ServerEnv } from './app.ts'
import { refuse } from './failure.ts'

const DEFAULT_THREADS = 50
/** One answer is built in memory, some 20 µs a thread. */
const MAX_THREADS = 200

const Query = z.object({
  limit: z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .pipe(z.number().max(MAX_THREADS))
    .optional(),
})

export function threadsRoute(logbook: Logbook): Handler<ServerEnv> {
  return (c) => {
    const query = Query.safeParse(c.req.query())
    if (!query.success) return refuse(c, 'query_invalid')
    return c.json({ threads: logbook.threads(query.data.limit ?? DEFAULT_THREADS) })
  }
}
