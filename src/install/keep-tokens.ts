/**
 * Keeps tokens that are in use from running out: those of our hooks, and the command line's own (T15).
 *
 * Renewed is only what stands in our own files, was not revoked and has not run out. The secret stays, so no settings change and no
 * session notices. What a remove has taken back, or a person has issued by hand, ends when it was meant to.
 */
import { readFileSync } from 'node:fs'
import type { HarnessName, Millis } from '../core/id.ts'
import type { Paths } from '../paths.ts'
import type { Tokens } from '../state/tokens.ts'
import { agentTokenIn } from './agent-token.ts'
import { tokenInHookFiles } from './hook-scripts.ts'
import { renewHookToken } from './hook-token.ts'

const HARNESSES: readonly HarnessName[] = ['claude-code', 'codex', 'grok', 'opencode']
/** Often enough for a term of months. */
const EVERY_MS = 12 * 60 * 60 * 1_000

interface Keeping {
  readonly paths: Pick<Paths, 'data' | 'hooks' | 'ownToken'>
  readonly tokens: Tokens
  readonly now: () => Millis
  /** A tokens file that can't be written is told in health when a token is near its end. */
  readonly onError: (thrown: unknown) => void
}

/** Renews at once what is near its end. Gives how many. Throws a `TokensError`. */
export function renewTokens({ paths, tokens, now }: Omit<Keeping, 'onError'>): number {
  const inUse = [
    ...HARNESSES.flatMap((harness) => [tokenInHookFiles(paths.hooks, harness), agentTokenIn(paths.data, harness)]),
    textOf(paths.ownToken),
  ]
  return inUse.filter((token) => token !== null && renewHookToken(tokens, token, now())).length
}

/** Now and from then on. Gives what ends it. */
export function keepTokens(keeping: Keeping): () => void {
  const attempt = (): void => {
    try {
      renewTokens(keeping)
    } catch (thrown) {
      keeping.onError(thrown)
    }
  }
  attempt()
  const timer = setInterval(attempt, EVERY_MS).unref()
  return () => clearInterval(timer)
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null
  } catch {
    // the server has not made it yet
    return null
  }
}
