/** Does Codex trust our hooks? It skips untrusted ones without a word (S13). */
import type { HarnessFacts } from './facts.ts'
import type { Finding } from './finding.ts'

export function checkTrust({ harness, trust }: HarnessFacts): readonly Finding[] {
  if (trust === null) return []
  const about = { id: 'trust', harness } as const
  const cure = 'contextmd setup codex, and say yes; or start "codex" and confirm the hooks there'
  switch (trust.state) {
    case 'trusted':
      return [{ ...about, level: 'ok', what: 'Codex trusts our hooks', cure: '' }]
    case 'untrusted':
      return [{ ...about, level: 'bad', what: `Codex does not trust ${trust.hooks} of our hooks and skips them without a word`, cure }]
    case 'off':
      return [
        {
          ...about,
          level: 'warn',
          what: `${trust.hooks} of our hooks are switched off in Codex`,
          cure: 'Switch them on in Codex (/hooks).',
        },
      ]
    case 'unseen':
      return [
        {
          ...about,
          level: 'bad',
          what: 'Codex does not see our hooks',
          cure: 'Hooks may be switched off ("hooks = false" under [features] in its config.toml), or the project is not trusted yet: start "codex" in it once.',
        },
      ]
    case 'unknown':
      return [
        {
          ...about,
          level: 'warn',
          what: `whether Codex trusts our hooks could not be learned: ${trust.why}`,
          cure: 'Start "codex": it says when hooks need review.',
        },
      ]
    default:
      return trust satisfies never
  }
}
