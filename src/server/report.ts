/** `GET /contextmd/v1/report`: what became of each entry since a time. */
import type { Handler } from 'hono'
import { z } from 'zod'
import type { Millis } from '../core/id.ts'
import type { Logbook } from '../engine/logbook.ts'
import type { ServerEnv } from './app.ts'
import { refuse } from './failure.ts'

/** Without a time the report is about the last week. */
const DEFAULT_SPAN_MS = 7 * 24 * 60 * 60 * 1_000

const Query = z.object({
  since: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional(),
})

export function reportRoute(logbook: Logbook, now: () => Millis): Handler<ServerEnv> {
  return async (c) => {
    const query = Query.safeParse(c.req.query())
    if (!query.success) return refuse(c, 'query_invalid')
    return c.json(await logbook.report(query.data.since ?? now() - DEFAULT_SPAN_MS))
  }
}
