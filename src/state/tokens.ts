/**
 * Tokens that clients show to the server: issued here, shown once, hashed at rest, listed, revoked.
 *
 * A file that can't be understood makes every token unknown, and `problems` says so: a door that can't tell its keys stays shut,
 * and the hooks let the agent go on.
 */
import { hash, randomBytes } from 'node:crypto'
import type { Millis } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import { changeTokenFile, readTokenFile, sameStamp, stampOf, type StoredToken, type TokenFile, type TokenFileStamp } from './token-file.ts'

export { TokensError } from './token-file.ts'

/** What a token may do. */
export const SCOPES = {
  'orchestration:read': 'post moments: what hooks need',
  'entries:read': 'search and read entries: what agents need',
  'log:read': 'read log, health, threads and entries',
  control: 'switch serving off and on, lift gates',
} as const
export type Scope = keyof typeof SCOPES

/** Tells a token of ours in logs and to secret scanners. */
export const TOKEN_PREFIX = 'cmd_'
const TOKEN_BYTES = 32
const ID_BYTES = 4
const DAY_MS = 24 * 60 * 60 * 1_000
/** Time enough to renew a token before it runs out (T15). */
const WARN_DAYS = 7

export type TokenCheck = 'ok' | 'unknown' | 'revoked' | 'expired' | 'no-scope'
export type TokenInfo = Omit<StoredToken, 'hash'>

export interface Tokens {
  /** `token` is shown here and never again. Throws a `TokensError`. */
  issue(wish: { readonly name: string; readonly scopes: readonly Scope[]; readonly days: number }): {
    readonly id: string
    readonly token: string
    readonly expiresAt: Millis
  }
  /** In the order of issue; revoked ones and those that ran out too. Empty if the file is broken. */
  list(): readonly TokenInfo[]
  /** False if there is no such token. Throws a `TokensError`. */
  revoke(id: string): boolean
  /** Good for so many days from now on. False for one that is unknown, revoked or has run out. Throws a `TokensError`. */
  renew(id: string, days: number): boolean
  /** What is known of a token that someone shows; null for an unknown one. */
  describe(token: string): TokenInfo | null
  check(token: string, scope: Scope): TokenCheck
  problems(): readonly Problem[]
}

export interface TokensOptions {
  readonly now: () => Millis
  /** That many random bytes. */
  readonly random?: (bytes: number) => Uint8Array
}

/** Opens nothing yet: the file is read at the first question, and again whenever it changed. */
export function openTokens(file: string, { now, random = randomBytes }: TokensOptions): Tokens {
  let stamp: TokenFileStamp = null
  let content: TokenFile = { state: 'read', tokens: [] }
  /** By hash: the time that a look-up takes tells something of the hash at most, and nothing of the token. */
  let byHash: ReadonlyMap<string, StoredToken> = new Map()

  function current(): TokenFile {
    const found = stampOf(file)
    if (!sameStamp(found, stamp)) {
      content = readTokenFile(file)
      byHash = new Map(content.state === 'read' ? content.tokens.map((token) => [token.hash, token]) : [])
      stamp = found
    }
    return content
  }

  function find(token: string): StoredToken | undefined {
    current()
    return byHash.get(hashOf(token))
  }

  function tokens(): readonly StoredToken[] {
    const read = current()
    return read.state === 'read' ? read.tokens : []
  }

  return {
    issue({ name, scopes, days }) {
      const token = `${TOKEN_PREFIX}${Buffer.from(random(TOKEN_BYTES)).toString('base64url')}`
      const id = Buffer.from(random(ID_BYTES)).toString('hex')
      const issuedAt = now()
      const expiresAt = issuedAt + days * DAY_MS
      const added: StoredToken = {
        id,
        name,
        scopes: [...scopes],
        hash: hashOf(token),
        issuedAt,
        expiresAt,
        revokedAt: null,
      }
      changeTokenFile(file, (before) => [...before, added])
      return { id, token, expiresAt }
    },
    list: () => tokens().map(withoutHash),
    revoke(id) {
      if (!tokens().some((token) => token.id === id)) return false
      changeTokenFile(file, (before) =>
        before.map((token) => (token.id === id && token.revokedAt === null ? { ...token, revokedAt: now() } : token)),
      )
      return true
    },
    renew(id, days) {
      const until = now() + days * DAY_MS
      const isGood = (token: StoredToken) => token.id === id && token.revokedAt === null && token.expiresAt > now()
      if (!tokens().some(isGood)) return false
      changeTokenFile(file, (before) =>
        before.map((token) => (isGood(token) ? { ...token, expiresAt: Math.max(token.expiresAt, until) } : token)),
      )
      return true
    },
    describe(token) {
      const found = find(token)
      return found === undefined ? null : withoutHash(found)
    },
    check(token, scope) {
      const found = find(token)
      if (found === undefined) return 'unknown'
      if (found.revokedAt !== null) return 'revoked'
      if (found.expiresAt <= now()) return 'expired'
      return found.scopes.includes(scope) ? 'ok' : 'no-scope'
    },
    problems() {
      const read = current()
      return read.state === 'broken' ? [brokenProblem(file, read.why)] : runningOut(read.tokens, now(), file)
    },
  }
}

function withoutHash(token: StoredToken): TokenInfo {
  const { hash: _, ...info } = token
  return info
}

/** SHA-256, in hex. */
function hashOf(token: string): string {
  return hash('sha256', token)
}

function brokenProblem(file: string, why: string): Problem {
  return {
    code: 'tokens_broken',
    severity: 'error',
    message: `The tokens file is broken: ${why}. No token is valid, so nothing is served.`,
    cure: 'Move the file away and issue the tokens anew: `contextmd setup` does it for a harness.',
    file,
  }
}

/** A token that was followed by a longer one of the same name is nobody's concern. */
function runningOut(tokens: readonly StoredToken[], now: Millis, file: string): readonly Problem[] {
  const lasting = new Map<string, StoredToken>()
  for (const token of tokens) {
    if (token.revokedAt === null && token.expiresAt >= (lasting.get(token.name)?.expiresAt ?? 0)) lasting.set(token.name, token)
  }
  return [...lasting.values()]
    .filter((token) => token.expiresAt - now < WARN_DAYS * DAY_MS)
    .map((token) => runningOutProblem(token, now, file))
}

function runningOutProblem({ id, name, expiresAt }: StoredToken, now: Millis, file: string): Problem {
  const which = `The token "${name}" (${id})`
  const cure = `Issue a new one (\`contextmd setup\` does it for a harness), or revoke it if nobody uses it: \`contextmd token revoke ${id}\`.`
  if (expiresAt <= now) {
    return { code: 'token_ran_out', severity: 'error', message: `${which} has run out: who shows it is served nothing.`, cure, file }
  }
  const days = Math.ceil((expiresAt - now) / DAY_MS)
  const message = `${which} runs out in ${days} ${days === 1 ? 'day' : 'days'}; from then on who shows it is served nothing.`
  return { code: 'token_runs_out', severity: 'warning', message, cure, file }
}
