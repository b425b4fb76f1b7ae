/** The host's scopes before each call of the HTTP interface. Refusals have the form of the host's own raw routes. */
import type { Context, MiddlewareHandler } from 'hono'
import type { OpenedEngine } from '../../engine/logbook.ts'
import type { ServerEnv } from '../../server/app.ts'
import { harnessIn } from '../../server/harness-name.ts'
import type { Scope } from '../../state/tokens.ts'
import type { Asked, Caller, HostScope } from './caller.ts'

/** Who may read threads in the host may read our log; who may act there may switch serving and lift gates. */
const HOST_SCOPES = {
  'orchestration:read': 'orchestration:read',
  'entries:read': 'orchestration:read',
  'log:read': 'orchestration:read',
  control: 'orchestration:operate',
} as const satisfies Record<Scope, HostScope>

export interface GuardOptions {
  /** Asks the host who sent this request. */
  readonly ask: (request: Request) => Promise<Asked>
  readonly engine: Pick<OpenedEngine, 'countNotAnalysed'>
  readonly saw: (caller: Caller) => void
  /** A moment of this harness came with a token that the host does not take. */
  readonly refused?: (harness: string) => void
}

export function hostGuard({ ask, engine, saw, refused }: GuardOptions): (scope: Scope) => MiddlewareHandler<ServerEnv> {
  return (scope) => async (c, next) => {
    const asked = await ask(c.req.raw)
    if (asked.kind === 'late') {
      countMoment(c, engine, 'the host did not say in time who calls')
      return c.json({ error: 'the host did not answer' }, 503)
    }
    if (asked.kind !== 'known') {
      // a token that ran out or was revoked looks like any other to us; its agent is served nothing from now on (T15)
      if (asked.kind === 'refused') {
        countMoment(c, engine, 'token refused by the host')
        const harness = harnessIn(c)
        if (harness !== null) refused?.(harness)
      }
      return unauthorized(c)
    }
    saw(asked.caller)
    const needed = HOST_SCOPES[scope]
    if (asked.caller.scopes.includes(needed)) return next()
    countMoment(c, engine, 'token lacks a scope of the host')
    return c.json({ error: `scope ${needed} required` }, 403)
  }
}

function unauthorized(c: Context<ServerEnv>): Response {
  c.header('www-authenticate', 'Bearer')
  return c.json({ error: 'unauthorized' }, 401)
}

function countMoment(c: Context<ServerEnv>, engine: GuardOptions['engine'], why: string): void {
  const harness = harnessIn(c)
  if (harness !== null) engine.countNotAnalysed(harness, why)
}
