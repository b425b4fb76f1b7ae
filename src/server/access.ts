/**
 * Who may call: a bearer token with the scope of the call, from a client of this machine.
 *
 * Host and Origin are checked against DNS rebinding: a page that made a foreign name point to 127.0.0.1 still sends its own name.
 */
import type { MiddlewareHandler } from 'hono'
import type { Engine } from '../engine/engine.ts'
import type { Scope, TokenCheck, Tokens } from '../state/tokens.ts'
import type { ServerEnv } from './app.ts'
import { refuse, type FailureCode } from './failure.ts'
import { harnessIn } from './harness-name.ts'

const REFUSALS = {
  unknown: 'token_unknown',
  revoked: 'token_revoked',
  expired: 'token_expired',
  'no-scope': 'token_lacks_scope',
} as const satisfies Record<Exclude<TokenCheck, 'ok'>, FailureCode>

/** The names under which a server on the loopback address may be called, as they stand in a Host header. */
export function loopbackHosts(port: number): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost', '[::1]']
  // Clients leave the port out when it is the one of the scheme.
  return new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))
}

/** Lets pass what names one of `hosts` and comes from no page, or from a page of the same host. */
export function requireOwnHost(hosts: () => ReadonlySet<string>): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const host = c.req.header('host')?.toLowerCase()
    if (host === undefined || !hosts().has(host)) return refuse(c, 'host_refused')
    const origin = c.req.header('origin')?.toLowerCase()
    if (origin !== undefined && origin !== `http://${host}`) return refuse(c, 'origin_refused')
    return next()
  }
}

/** Lets pass what carries a token with the scope. A token that ran out is counted, since its agent is served nothing from then on (T15). */
export function requireScope(tokens: Pick<Tokens, 'check'>, scope: Scope, engine: Engine): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const token = bearerToken(c.req.header('authorization'))
    if (token === null) return refuse(c, 'token_missing')
    const verdict = tokens.check(token, scope)
    if (verdict === 'ok') return next()
    const harness = harnessIn(c)
    if (harness !== null && (verdict === 'expired' || verdict === 'revoked')) engine.countNotAnalysed(harness, `token ${verdict}`)
    return refuse(c, REFUSALS[verdict], verdict === 'no-scope' ? `It needs ${scope}.` : undefined)
  }
}

/** The token that a request shows; null if it shows none. */
export function bearerToken(header: string | undefined): string | null {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? null
}
