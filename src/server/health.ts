/** `GET /contextmd/v1/health`: whether it serves, and what is wrong. With `check=state` the state file is looked through as well. */
import type { Context, Handler, MiddlewareHandler } from 'hono'
import type { Problem } from '../core/problem.ts'
import type { OpenedEngine } from '../engine/logbook.ts'
import type { ServerEnv } from './app.ts'
import { refuse } from './failure.ts'

interface HealthAccess {
  readonly mayRead: MiddlewareHandler<ServerEnv>
  readonly mayControl: MiddlewareHandler<ServerEnv>
}

/** Without a token only whether it serves: enough for a service manager, nothing about the person. */
export function requireForHealth(engine: OpenedEngine, { mayRead, mayControl }: HealthAccess): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    // reading the whole file costs the machine some seconds of work: for a person to ask
    if (wantsCheck(c)) return mayControl(c, next)
    if (c.req.header('authorization') === undefined) return c.json({ state: engine.health().state })
    return mayRead(c, next)
  }
}

interface OfServer {
  readonly counters: () => Readonly<Record<string, number>>
  readonly problems: () => readonly Problem[]
}

/** `counters` and `problems`: of the server itself. A check is answered as `check`, a list of problems: empty when all is well. */
export function healthRoute(engine: OpenedEngine, { counters, problems }: OfServer): Handler<ServerEnv> {
  return async (c) => {
    const health = engine.health()
    const answer = { ...health, problems: [...problems(), ...health.problems], counters: { ...health.counters, ...counters() } }
    if (!wantsCheck(c)) return c.json(answer)
    if (c.req.query('check') !== 'state') return refuse(c, 'query_invalid')
    return c.json({ ...answer, check: await engine.logbook.check() })
  }
}

function wantsCheck(c: Context<ServerEnv>): boolean {
  return c.req.query('check') !== undefined
}
