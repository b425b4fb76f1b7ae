/**
 * The token with which a harness's agents search and read entries: issued by `setup --mcp`, kept alive by the server, revoked by remove.
 *
 * It can do nothing else. A copy stands in a private file of ours: what a harness's settings hold can't be told apart from what a person
 * wrote there, and OpenCode reads it from that file.
 */
import { chmodSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { HarnessName } from '../core/id.ts'
import type { Scope, Tokens } from '../state/tokens.ts'
import { HOOK_TOKEN_DAYS } from './hook-token.ts'

export const AGENT_SCOPE: Scope = 'entries:read'

/** `data`: the data folder. */
export function agentTokenFile(data: string, harness: HarnessName): string {
  return join(data, 'agents', `${harness}.token`)
}

/** Null where there is none. */
export function agentTokenIn(data: string, harness: HarnessName): string | null {
  try {
    return readFileSync(agentTokenFile(data, harness), 'utf8').trim() || null
  } catch {
    return null
  }
}

/** Null: a new one is needed. */
export function goodAgentToken(tokens: Tokens, data: string, harness: HarnessName): string | null {
  const token = agentTokenIn(data, harness)
  return token !== null && tokens.check(token, AGENT_SCOPE) === 'ok' ? token : null
}

/** Issued and written down. Throws a `TokensError`. */
export function issueAgentToken(tokens: Tokens, data: string, harness: HarnessName): string {
  const { token } = tokens.issue({ name: agentTokenName(harness), scopes: [AGENT_SCOPE], days: HOOK_TOKEN_DAYS })
  const file = agentTokenFile(data, harness)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // without a line break: what reads it takes it as it is
  writeFileSync(file, token, { mode: 0o600 })
  chmodSync(file, 0o600)
  return token
}

/** Deletes the file and revokes. True if there was one. Throws a `TokensError`. */
export function retireAgentToken(tokens: Tokens, data: string, harness: HarnessName): boolean {
  const file = agentTokenFile(data, harness)
  rmSync(file, { force: true })
  try {
    rmdirSync(dirname(file))
  } catch {
    // another harness's stands there, or there is none
  }
  const ours = tokens.list().filter(({ name, revokedAt }) => name === agentTokenName(harness) && revokedAt === null)
  for (const { id } of ours) tokens.revoke(id)
  return ours.length > 0
}

function agentTokenName(harness: HarnessName): string {
  return `${harness} agents`
}
