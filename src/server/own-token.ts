/** The token with which the person's own command line calls the server. It stands in a file that only they can read. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Scope, Tokens } from '../state/tokens.ts'

const OWN_SCOPES = ['log:read', 'control'] as const satisfies readonly Scope[]

/** It is made anew at a start when it has run out. */
const OWN_TOKEN_DAYS = 365

export function readOwnToken(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null
  } catch {
    return null
  }
}

/** Makes the file unless it holds a token that is good for all that the command line does. */
export function ensureOwnToken(file: string, tokens: Pick<Tokens, 'check' | 'issue'>): void {
  if (isOwnTokenGood(file, tokens)) return
  const { token } = tokens.issue({ name: 'command line', scopes: OWN_SCOPES, days: OWN_TOKEN_DAYS })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${token}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

export function isOwnTokenGood(file: string, tokens: Pick<Tokens, 'check'>): boolean {
  const present = readOwnToken(file)
  return present !== null && OWN_SCOPES.every((scope) => tokens.check(present, scope) === 'ok')
}
