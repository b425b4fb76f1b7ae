/**
 * The token of a harness's hooks: issued by setup, kept alive by the server, revoked by remove.
 *
 * It ends by itself where nobody uses it. Where its hooks stand it is renewed in place: sessions that run have read it already, so a
 * new one would reach them never (T15).
 */
import type { HarnessName, Millis } from '../core/id.ts'
import type { Paths } from '../paths.ts'
import { openTokens, type Scope, type Tokens } from '../state/tokens.ts'
import { readHostToken, type HostToken } from './host-token.ts'

/** From an issue or a renewal on. */
export const HOOK_TOKEN_DAYS = 365
/** So long before its end a token is renewed: also a server that is started once a month comes in time. */
const RENEW_DAYS = 60
const DAY_MS = 24 * 60 * 60 * 1_000

/** It does no more than post moments from this machine. */
export const HOOK_SCOPE: Scope = 'orchestration:read'

/** Its name in the list of tokens: removing revokes all of that name. */
export function hookTokenName(harness: HarnessName): string {
  return `${harness} hooks`
}

/** The first that is good for hooks; null: a new one is needed. */
export function goodHookToken(tokens: Tokens, candidates: readonly (string | null)[]): string | null {
  return candidates.find((token) => token !== null && tokens.check(token, HOOK_SCOPE) === 'ok') ?? null
}

/** Throws a `TokensError`. */
export function issueHookToken(tokens: Tokens, harness: HarnessName): string {
  return tokens.issue({ name: hookTokenName(harness), scopes: [HOOK_SCOPE], days: HOOK_TOKEN_DAYS }).token
}

/** True if it was near its end and is good for a full term again. Throws a `TokensError`. */
export function renewHookToken(tokens: Tokens, token: string, now: number): boolean {
  const info = tokens.describe(token)
  if (info === null || info.revokedAt !== null || info.expiresAt - now >= RENEW_DAYS * DAY_MS) return false
  return tokens.renew(info.id, HOOK_TOKEN_DAYS)
}

/** True if there was one. Throws a `TokensError`. */
export function retireHookTokens(tokens: Tokens, harness: HarnessName): boolean {
  const ours = tokens.list().filter(({ name, revokedAt }) => name === hookTokenName(harness) && revokedAt === null)
  for (const { id } of ours) tokens.revoke(id)
  return ours.length > 0
}

export interface HookTokens {
  readonly tokens: Tokens
  /** Null: hooks post to a server beside. */
  readonly host: HostToken | null
}

/**
 * The tokens that are good for hooks: our own, or the host's one where they post into a host. That one is not issued here: who asks for
 * a new token is given it.
 */
export function hookTokensIn(
  paths: Pick<Paths, 'tokens' | 'data'>,
  now: () => Millis,
  host: HostToken | null = readHostToken(paths.data),
): HookTokens {
  const own = openTokens(paths.tokens, { now })
  if (host === null) return { tokens: own, host }
  const { token, issuedAt, expiresAt } = host
  const info = { id: 'host', name: 'hooks inside a host', scopes: [HOOK_SCOPE], issuedAt, expiresAt, revokedAt: null }
  const tokens: Tokens = {
    ...own,
    issue: () => ({ id: info.id, token, expiresAt }),
    renew: () => false,
    describe: (shown) => (shown === token ? info : own.describe(shown)),
    // our own are good elsewhere, and the host refuses them
    check: (shown, scope) => (shown === token ? checkHostToken(host, scope, now()) : 'unknown'),
  }
  return { tokens, host }
}

/**
 * For a server beside: it takes the host's token that setup has kept as well, so that hooks that were set up for a host are served while
 * this server runs in its stead.
 */
export function withHostToken(tokens: Tokens, dataFolder: string, now: () => Millis): Tokens {
  return {
    ...tokens,
    check(shown, scope) {
      const verdict = tokens.check(shown, scope)
      if (verdict !== 'unknown') return verdict
      const host = readHostToken(dataFolder)
      return host?.token === shown ? checkHostToken(host, scope, now()) : 'unknown'
    },
  }
}

function checkHostToken(host: HostToken, scope: Scope, now: Millis): 'ok' | 'expired' | 'no-scope' {
  if (host.expiresAt <= now) return 'expired'
  return scope === HOOK_SCOPE ? 'ok' : 'no-scope'
}
