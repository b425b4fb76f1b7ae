/** The host's tokens that post here: one that is about to run out, or that the host refuses, is told in health, since its agent is served nothing then (T15). */
import type { HarnessName, Millis } from '../../core/id.ts'
import type { Problem } from '../../core/problem.ts'
import type { Caller } from './caller.ts'

const HARNESSES: readonly HarnessName[] = ['claude-code', 'codex', 'grok', 'opencode']
const DAY_MS = 24 * 60 * 60 * 1_000
/** Time enough to renew a token before it runs out. */
const WARN_DAYS = 7
/** A token that did not call for so long is nobody's concern any more. */
const CONCERN_DAYS = 2
/** More than one machine's hooks use. */
const MOST_TOKENS = 100

export interface HostTokens {
  saw(caller: Caller): void
  /** A moment of this harness came with a token that the host does not take. */
  refused(harness: string): void
  problems(): readonly Problem[]
}

export function newHostTokens(now: () => Millis): HostTokens {
  const seen = new Map<string, { readonly expiresAt: Millis; readonly at: Millis }>()
  const refusedAt = new Map<string, Millis>()
  return {
    saw({ id, expiresAt }) {
      seen.delete(id)
      if (expiresAt === null || expiresAt - now() >= WARN_DAYS * DAY_MS) return
      seen.set(id, { expiresAt, at: now() })
      const [oldest] = seen.keys()
      if (seen.size > MOST_TOKENS && oldest !== undefined) seen.delete(oldest)
    },
    refused(harness) {
      // who has no token may name anything
      if (HARNESSES.some((known) => known === harness)) refusedAt.set(harness, now())
    },
    problems: () => {
      const recent = [...seen].filter(([, { expiresAt, at }]) => now() - Math.min(at, expiresAt) < CONCERN_DAYS * DAY_MS)
      const refused = [...refusedAt].filter(([, at]) => now() - at < CONCERN_DAYS * DAY_MS)
      return [
        ...recent.map(([id, { expiresAt }]) => problemOf(id, expiresAt - now())),
        ...refused.map(([harness]) => refusedProblem(harness)),
      ]
    },
  }
}

function problemOf(id: string, left: Millis): Problem {
  const days = Math.ceil(left / DAY_MS)
  const when = left <= 0 ? 'has run out' : `runs out in ${days} ${days === 1 ? 'day' : 'days'}`
  return {
    code: left <= 0 ? 'token_ran_out' : 'token_runs_out',
    severity: left <= 0 ? 'error' : 'warning',
    message: `The host's token of session ${id} ${when}; from then on the hooks that show it are served nothing.`,
    cure: 'Run `contextmd setup` again: it gets another token of the host.',
    key: id,
  }
}

function refusedProblem(harness: string): Problem {
  return {
    code: 'token_refused',
    severity: 'warning',
    message: `Hooks of ${harness} show a token that the host refuses, it ran out, was revoked, or is none of the host's: they are served nothing.`,
    cure: `Run \`contextmd setup ${harness} --inside\`: it gets another token of the host.`,
    key: harness,
  }
}
