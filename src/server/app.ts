/**
 * The HTTP face of the engine, as one fetch-style handler: it can be served on a port of its own or mounted in another server.
 *
 * It knows nothing of ports and files. What each call does stands in a file of its own.
 */
import type { HttpBindings } from '@hono/node-server'
import { Hono, type Context, type MiddlewareHandler } from 'hono'
import type { Millis } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import type { OpenedEngine } from '../engine/logbook.ts'
import type { Scope, Tokens } from '../state/tokens.ts'
import { requireOwnHost, requireScope } from './access.ts'
import { controlRoute } from './control.ts'
import { evidenceRoute } from './evidence.ts'
import { mishapFrom, newRequestId, refuse, type Mishap } from './failure.ts'
import { healthRoute, requireForHealth } from './health.ts'
import { logRoute } from './log.ts'
import { metricsRoute } from './metrics.ts'
import { newMomentTimes, type MomentTimes } from './metrics-times.ts'
import { entryService, MCP_PATH } from './mcp/entry-service.ts'
import { HOOK_MCP_PATH, hookService } from './mcp/hook-service.ts'
import { mcpRoute, refuseOtherMethods } from './mcp/route.ts'
import { DEADLINE_MS, momentRoute, momentTaker } from './moment.ts'
import { PROOF_PATH } from '../proof.ts'
import { proofRoute, type Prove } from './proof.ts'
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
  /** Names that a Host header may carry, with the port. Null inside a host, which is reached under names of its own. */
  readonly hosts: (() => ReadonlySet<string>) | null
  /** In place of our own tokens, where a host says who may call. */
  readonly requireScope?: (scope: Scope) => MiddlewareHandler<ServerEnv>
  readonly now: () => Millis
  /** Shows clients that this server is ours. */
  readonly prove?: Prove
  /** Counters of the server itself, for health. */
  readonly counters?: () => Readonly<Record<string, number>>
  /** Problems of the server itself, for health. */
  readonly problems?: () => readonly Problem[]
  /** For a moment's answer; tests set it far off or near. */
  readonly deadlineMs?: number
  /** Shared with whoever takes moments beside this app. */
  readonly times?: MomentTimes
  /** Ends the streams of clients that follow the log. */
  readonly closing: AbortSignal
  /** Gets every failure that nobody foresaw. */
  readonly report: (mishap: Mishap) => void
}

const BASE = '/contextmd/v1'
export const MOMENT = `${BASE}/moment`
/** Posts moments. */
export const POST_SCOPE: Scope = 'orchestration:read'
const LOG = `${BASE}/log`

export function createApp(options: AppOptions): Hono<ServerEnv> {
  const { engine, tokens, hosts, now, closing, report, counters: serverCounters = () => ({}), deadlineMs = DEADLINE_MS } = options
  const app = new Hono<ServerEnv>()
  const times = options.times ?? newMomentTimes()
  const may = options.requireScope ?? ((scope: Scope) => requireScope({ tokens, scope, engine }))
  const mayPost = may(POST_SCOPE)
  const mayRead = may('log:read')
  const mayControl = may('control')
  const reportFrom = (route: string) => (thrown: unknown) => report(mishapFrom(thrown, route, newRequestId()))

  if (hosts !== null) app.use(requireOwnHost(hosts))
  // a host's own process is not ours to end
  app.get(PROOF_PATH, proofRoute(options.prove ?? (() => null), hosts === null ? null : process.pid))
  app.post(MOMENT, mayPost, times.measure, momentRoute(momentTaker(engine, deadlineMs, reportFrom(MOMENT))))
  app.post(`${BASE}/settle`, mayPost, settleRoute(engine))
  app.post(`${BASE}/evidence`, mayPost, evidenceRoute(engine))
  app.post(`${BASE}/control`, mayControl, controlRoute(engine, now))
  app.get(LOG, mayRead, logRoute(engine, closing, reportFrom(LOG)))
  app.get(`${BASE}/entries`, mayRead, (c) => c.json({ entries: engine.entries() }))
  app.get(`${BASE}/threads`, mayRead, threadsRoute(engine.logbook))
  app.get(`${BASE}/report`, mayRead, reportRoute(engine.logbook, now))
  app.get(`${BASE}/metrics`, mayRead, metricsRoute(engine, times, serverCounters))
  app.get(
    `${BASE}/health`,
    requireForHealth(engine, { mayRead, mayControl }),
    healthRoute(engine, { counters: serverCounters, problems: options.problems ?? (() => []) }),
  )
  const version = (): string => engine.health().version
  app.post(HOOK_MCP_PATH, mayPost, mcpRoute(hookService(engine, deadlineMs, reportFrom(HOOK_MCP_PATH)), version))
  app.post(MCP_PATH, may('entries:read'), mcpRoute(entryService(engine), version))
  for (const path of [HOOK_MCP_PATH, MCP_PATH]) app.all(path, refuseOtherMethods)
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
