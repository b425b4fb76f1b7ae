/** Our endpoint for agents in the harness's list of MCP servers: there, with a good token, and for the port that the server has. */
import type { AgentFacts, HarnessFacts } from './facts.ts'
import type { Finding } from './finding.ts'

/** `port`: of the server; null: there is none. Nothing is said where no agent was ever given it. */
export function checkAgents({ harness, agents }: HarnessFacts, port: number | null): readonly Finding[] {
  return agents.map((one) => checkOne(harness, one, port))
}

function checkOne(harness: HarnessFacts['harness'], agents: AgentFacts, port: number | null): Finding {
  const { file, scope, project, state } = agents
  const about = { id: 'agents', harness } as const
  if (state.kind === 'broken') return { ...about, level: 'bad', what: state.why, cure: 'Mend the file, then run "contextmd doctor" again.' }
  const again = `contextmd setup ${harness} --mcp${scope === 'project' ? ` --scope project, in ${project ?? 'the project'}` : ''}`
  const mended = { cure: again, fix: { kind: 'agents', harness, scope, project, port: null } } as const
  if (state.kind === 'gone')
    return {
      ...about,
      level: 'warn',
      what: `our endpoint for agents is gone from ${file}`,
      cure: `${again}, or "contextmd remove ${harness}"`,
    }
  if (state.token !== 'ok')
    return { ...about, level: 'warn', what: `the token of agents in ${file} is not good: they can read no entry`, ...mended }
  if (state.isStale)
    return { ...about, level: 'warn', what: `our endpoint for agents in ${file} is not as setup would write it now`, ...mended }
  if (port !== null && port !== state.port)
    return {
      ...about,
      level: 'warn',
      what: `agents look for the server at port ${state.port} (${file}), and it is at ${port}`,
      cure: `${again} --port ${port}, or start the server at ${state.port}`,
      fix: { kind: 'agents', harness, scope, project, port },
    }
  return { ...about, level: 'ok', what: `agents can search and read entries, by ${file}`, cure: '' }
}
