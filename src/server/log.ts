/** `GET /contextmd/v1/log`: rows of the log, oldest first; as server-sent events when the client asks to follow. */
import type { Context, Handler } from 'hono'
import { streamSSE } from 'hono/streaming'
import { z } from 'zod'
import { id, type EntryId, type HarnessName, type ThreadId } from '../core/id.ts'
import type { OpenedEngine } from '../engine/logbook.ts'
import type { LogFilter } from '../state.ts'
import type { ServerEnv } from './app.ts'
import { refuse } from './failure.ts'
import { LogFeed } from './log-feed.ts'
import { followLog } from './log-follow.ts'

const DEFAULT_ROWS = 100
/** One answer is built in memory. */
const MAX_ROWS = 1_000

const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

const Query = z.object({
  thread: z
    .string()
    .min(1)
    .transform((text) => id<ThreadId>(text))
    .optional(),
  entry: z
    .string()
    .min(1)
    .transform((text) => id<EntryId>(text))
    .optional(),
  outcome: z
    .string()
    .regex(/^[a-z_]+$/)
    .optional(),
  harness: z.enum(['claude-code', 'codex', 'grok', 'opencode'] satisfies HarnessName[]).optional(),
  since: wholeNumber.optional(),
  after: wholeNumber.optional(),
  limit: wholeNumber.pipe(z.number().max(MAX_ROWS)).optional(),
})

/** `closing` ends the streams when the server goes down; `report` gets what broke one. */
export function logRoute(engine: OpenedEngine, closing: AbortSignal, report: (thrown: unknown) => void): Handler<ServerEnv> {
  const feed = new LogFeed(engine)
  return async (c) => {
    const query = Query.safeParse(c.req.query())
    if (!query.success) return refuse(c, 'query_invalid')
    const { after, limit = DEFAULT_ROWS, ...rest } = query.data
    // Parsing leaves out what was not given, but its type does not say so.
    const filter = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as LogFilter
    const wantsStream = c.req.query('follow') !== undefined || (c.req.header('accept') ?? '').includes('text/event-stream')
    if (!wantsStream) return c.json({ moments: await rowsOf(engine, filter, after, limit) })
    const from = after ?? lastEventId(c)
    const first = await rowsOf(engine, filter, from, limit)
    return streamSSE(c, (stream) => followLog({ stream, engine, filter, closing, feed, first, after: from ?? 0 }).catch(report))
  }
}

/** From a number on the oldest rows come first, so that none is passed over; without one the newest are wanted. */
async function rowsOf({ logbook }: OpenedEngine, filter: LogFilter, after: number | undefined, limit: number) {
  if (limit === 0) return []
  if (after !== undefined) return await logbook.log({ ...filter, after, limit })
  return (await logbook.log({ ...filter, newest: true, limit })).toReversed()
}

/** A browser that lost its stream says what it got last. */
function lastEventId(c: Context<ServerEnv>): number | undefined {
  const header = c.req.header('last-event-id')
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}
