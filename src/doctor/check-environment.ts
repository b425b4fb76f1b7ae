/** The environment that hooks inherit from the agent, which inherits it from a shell like this one. */
import type { EnvironmentFacts, HarnessFacts } from './facts.ts'
import type { Finding } from './finding.ts'

export function checkEnvironment({ client, isOff }: EnvironmentFacts, harnesses: readonly HarnessFacts[]): readonly Finding[] {
  const findings: Finding[] = []
  if (isOff)
    findings.push({
      id: 'off',
      harness: null,
      level: 'warn',
      what: 'CONTEXTMD_OFF is set in this shell: agents that are started from it are served nothing',
      cure: 'unset CONTEXTMD_OFF',
    })
  const needsClient = harnesses.some(({ harness, setups }) => harness !== 'opencode' && setups.some(({ isThere }) => isThere))
  if (needsClient) findings.push(checkClient(client))
  return findings
}

/** S6, S7. */
function checkClient(client: EnvironmentFacts['client']): Finding {
  const about = { id: 'client', harness: null } as const
  switch (client) {
    case 'curl':
    case 'wget':
      return { ...about, level: 'ok', what: `hooks post with ${client}`, cure: '' }
    case 'node':
      return {
        ...about,
        level: 'note',
        what: 'hooks post with node, which takes some 100 ms a moment: neither curl nor GNU wget is on the PATH',
        cure: 'Install curl.',
      }
    case null:
      return {
        ...about,
        level: 'bad',
        what: 'hooks have nothing to post with: neither curl, GNU wget nor node is on the PATH',
        cure: 'Install curl.',
      }
    default:
      return client satisfies never
  }
}

/**
 * Claude Code sends http hooks through a proxy of the environment unless NO_PROXY names the address (measured on 2.1.332: it
 * asks the proxy to connect). The script
 * and the OpenCode plugin go round it.
 */
export function checkProxy({ harness, setups }: HarnessFacts, { proxies }: EnvironmentFacts): readonly Finding[] {
  const isDirect = setups.some(({ isThere, isFixed }) => isThere && isFixed)
  if (harness !== 'claude-code' || !isDirect || proxies.length === 0) return []
  return [
    {
      id: 'proxy',
      harness,
      level: 'warn',
      what: `${proxies.join(', ')} is set and NO_PROXY does not name 127.0.0.1: Claude Code sends its hooks to the proxy`,
      cure: 'Add 127.0.0.1 to NO_PROXY, or run "contextmd setup claude-code --transport command".',
    },
  ]
}

/** Variables that name a proxy for http addresses and are not ruled out for the loopback address. */
export function proxiesIn(env: NodeJS.ProcessEnv): readonly string[] {
  const excluded = (env['NO_PROXY'] || env['no_proxy'] || '').split(',').map((part) => part.trim())
  if (excluded.some((part) => part === '*' || part === '127.0.0.1' || part.startsWith('127.0.0.1:'))) return []
  return ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'].filter((name) => env[name])
}
