/** The host's tokens that post here: one that is about to run out is told in health, since its agent is served nothing from then on (T15). */
import type { Millis } from '../../core/id.ts'
import type { Problem } from '../../core/problem.ts'
import type { Caller } from './caller.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** Time enough to renew a token before it runs out. */
const WARN_DAYS = 7
/** A token that did not call for so long is nobody's concern any more. */
const CONCERN_DAYS = 2
/** More than one machine's hooks use. */
const MOST_TOKENS = 100

export interface HostTokens {
  saw(caller: Caller): void
  problems(): readonly Problem[]
}

export function newHostTokens(now: () => Millis): HostTokens {
  const seen = new Map<string, { readonly expiresAt: Millis; readonly at: Millis }>()
  return {
    saw({ id, expiresAt }) {
      seen.delete(id)
      if (expiresAt === null || expiresAt - now() >= WARN_DAYS * DAY_MS) return
      seen.set(id, { expiresAt, at: now() })
      const [oldest] = seen.keys()
      if (seen.size > MOST_TOKENS && oldest !== undefined) seen.delete(oldest)
    },
    problems: () => {
      const recent = [...seen].filter(([, { expiresAt, at }]) => now() - Math.min(at, expiresAt) < CONCERN_DAYS * DAY_MS)
      return recent.map(([id, { expiresAt }]) => problemOf(id, expiresAt - now()))
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
    cure: 'Run `contextmd setup` again with a new token of the host (docs/hosts/t3code.md says how to get one).',
    key: id,
  }
}
