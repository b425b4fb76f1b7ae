/** Is the token that the hooks show good, and for how long? (T15) */
import { commandFor, fixFor } from './check-hooks.ts'
import type { HarnessFacts, SetupFacts } from './facts.ts'
import type { Finding } from './finding.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** Time enough to renew it; a server that runs renews it long before. */
const WARN_DAYS = 7

/** `now`: milliseconds since the epoch. */
export function checkTokens({ harness, setups }: HarnessFacts, now: number): readonly Finding[] {
  return setups.filter(({ isThere }) => isThere).map((setup) => checkOne(harness, setup, now))
}

function checkOne(harness: HarnessFacts['harness'], setup: SetupFacts, now: number): Finding {
  const { token } = setup
  const about = { id: 'token', harness } as const
  const mended = { cure: commandFor(setup, harness), fix: fixFor(setup, harness) }
  if (token.state === 'none') return { ...about, level: 'bad', what: `the hooks of ${setup.file} have no token`, ...mended }
  if (token.state !== 'ok')
    return { ...about, level: 'bad', what: `the token of ${setup.file} ${BAD[token.state]}: nothing is served`, ...mended }
  if (token.expiresAt === null) return { ...about, level: 'ok', what: 'good', cure: '' }
  const days = Math.ceil((token.expiresAt - now) / DAY_MS)
  if (days <= WARN_DAYS)
    return {
      ...about,
      level: 'warn',
      what: `the token runs out in ${days} ${days === 1 ? 'day' : 'days'}; then nothing is served`,
      ...mended,
    }
  return { ...about, level: 'ok', what: `good until ${new Date(token.expiresAt).toISOString().slice(0, 10)}`, cure: '' }
}

const BAD = {
  unknown: 'is not known here',
  revoked: 'was revoked',
  expired: 'has run out',
  'no-scope': 'may not post moments',
} as const
