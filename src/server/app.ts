/**
 * The HTTP face of the engine, as one fetch-style handler: it can be served on a port of its own or mounted in another server.
 *
 * It knows nothing of ports and files. What each call does stands in a file of its own.
 */
import type { HttpBindings } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import type { Millis } from '../core/id.ts'
import type { OpenedEngine } from '../engine/logbook.ts'
import type { Tokens } from '../state/tokens.ts'
import { requireOwnHost, requireScope } from './access.ts'
import { controlRoute } from './control.ts'
import { evidenceRoute } from './evidence.ts'
import { mishapFrom, newRequestId, refuse, type Mishap } from './failure.ts'
import { healthRoute, requireForHealth } from './health.ts'
import { logRoute } from './log.ts'
import { metricsRoute } from './metrics.ts'
import { newMomentTimes } from './metrics-times.ts'
import { DEADLINE_MS, momentRoute } from './moment.ts'
import { reportRoute } from './report.ts'
import { settleRoute } from './settle.ts'
import { threadsRoute } from './threads.ts'

/** Node's request and response where the app stands on Node's server. */
export interface ServerEnv {
  Bindings: Partial<HttpBindings>
}

export interface AppOptions {
  readonly engine: OpenedEngine
  readonly tokens: Pick<Tokens, 'check'>
  /** Names that a Host header may carry, with the port. */
  readonly hosts: () => ReadonlySet<string>
  readonly now: () => Millis
  /** Counters of the server itself, for health. */
  readonly counters?: () => Readonly<Record<string, number>>
  /** For a moment's answer; tests set it far off or near. */
  readonly deadlineMs?: number
  /** Ends the streams of clients that follow the log. */
  readonly closing: AbortSignal
  /** Gets every failure that nobody foresaw. */
  readonly report: (mishap: Mishap) => void
}

const BASE = '/contextmd/v1'
const MOMENT = `${BASE}/moment`
const LOG = `${BASE}/log`

export function createApp(options: AppOptions): Hono<ServerEnv> {
  const { engine, tokens, hosts, now, closing, report, counters: serverCounters = () => ({}), deadlineMs = DEADLINE_MS } = options
  const app = new Hono<ServerEnv>()
  const times = newMomentTimes()
  const mayPost = requireScope(tokens, 'orchestration:read', engine)
  const mayRead = requireScope(tokens, 'log:read', engine)
  const mayControl = requireScope(tokens, 'control', engine)
  const reportFrom = (route: string) => (thrown: unknown) => report(mishapFrom(thrown, route, newRequestId()))

  app.use(requireOwnHost(hosts))
  app.post(MOMENT, mayPost, times.measure, momentRoute(engine, deadlineMs, reportFrom(MOMENT)))
  app.post(`${BASE}/settle`, mayPost, settleRoute(engine))
  app.post(`${BASE}/evidence`, mayPost, evidenceRoute(engine))
  app.post(`${BASE}/control`, mayControl, controlRoute(engine, now))
  app.get(LOG, mayRead, logRoute(engine, closing, reportFrom(LOG)))
  app.get(`${BASE}/entries`, mayRead, (c) => c.json({ entries: engine.entries() }))
  app.get(`${BASE}/threads`, mayRead, threadsRoute(engine.logbook))
  app.get(`${BASE}/report`, mayRead, reportRoute(engine.logbook, now))
  app.get(`${BASE}/metrics`, mayRead, metricsRoute(engine, times, serverCounters))
  app.get(`${BASE}/health`, requireForHealth(engine, { mayRead, mayControl }), healthRoute(engine, serverCounters))
  app.notFound((c) => refuse(c, 'route_unknown'))
  // The one place where an unknown failure becomes ours. A moment is never blocked by one.
  app.onError((thrown, c) => {
    const requestId = newRequestId()
    report(mishapFrom(thrown, c.req.path === MOMENT ? MOMENT : routeOf(c), requestId))
    return c.req.path === MOMENT ? c.body(null, 204) : refuse(c, 'failed', undefined, requestId)
  })
  return app
}

/** The path without its query: what a query holds is nobody's business. */
function routeOf(c: Context<ServerEnv>): string {
  return `${c.req.method} ${c.req.path}`
}
