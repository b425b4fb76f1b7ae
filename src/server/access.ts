/**
 * Who may call: a bearer token with the scope of the call, from a client of this machine.
 *
 * Host and Origin are checked against DNS rebinding: a page that made a foreign name point to 127.0.0.1 still sends its own name.
 */
import type { MiddlewareHandler } from 'hono'
import type { Engine } from '../engine/engine.ts'
import type { Scope, TokenCheck, Tokens } from '../state/tokens.ts'
import type { ServerEnv } from './app.ts'
import { refusal, respond, type Answer, type FailureCode } from './failure.ts'
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

/** Of a request: its name in lower case. */
export type HeaderOf = (name: string) => string | undefined

/** Null for what names one of `hosts` and comes from no page, or from a page of the same host. */
export function refuseOtherHost(hosts: ReadonlySet<string>, header: HeaderOf): Answer | null {
  const host = header('host')?.toLowerCase()
  if (host === undefined || !hosts.has(host)) return refusal('host_refused')
  const origin = header('origin')?.toLowerCase()
  return origin === undefined || origin === `http://${host}` ? null : refusal('origin_refused')
}

/** What a token is asked for. */
export interface Wanted {
  readonly tokens: Pick<Tokens, 'check'>
  readonly scope: Scope
  readonly engine: Engine
}

/** Null for what carries a token with the scope. A token that ran out is counted, since its agent is served nothing from then on (T15). */
export function refuseWithoutScope({ tokens, scope, engine }: Wanted, header: HeaderOf, harness: () => string | null): Answer | null {
  const token = bearerToken(header('authorization'))
  if (token === null) return refusal('token_missing')
  const verdict = tokens.check(token, scope)
  if (verdict === 'ok') return null
  const named = verdict === 'expired' || verdict === 'revoked' ? harness() : null
  if (named !== null) engine.countNotAnalysed(named, `token ${verdict}`)
  return refusal(REFUSALS[verdict], verdict === 'no-scope' ? `It needs ${scope}.` : undefined)
}

export function requireOwnHost(hosts: () => ReadonlySet<string>): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const refused = refuseOtherHost(hosts(), (name) => c.req.header(name))
    return refused === null ? next() : respond(c, refused)
  }
}

export function requireScope(wanted: Wanted): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const refused = refuseWithoutScope(
      wanted,
      (name) => c.req.header(name),
      () => harnessIn(c),
    )
    return refused === null ? next() : respond(c, refused)
  }
}

/** The token that a request shows; null if it shows none. */
export function bearerToken(header: string | undefined): string | null {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? null
}
