/** Our endpoint for agents in the harness's list of MCP servers: there, with a good token, and for the port that the server has. */
import type { AgentFacts, HarnessFacts } from './facts.ts'
import type { Finding } from './finding.ts'

/** `port`: of the server; null: there is none. `isInside`: it is a part of a host. Nothing is said where no agent was ever given it. */
export function checkAgents({ harness, agents }: HarnessFacts, port: number | null, isInside = false): readonly Finding[] {
  return agents.map((one) => (isInside && one.state.kind !== 'broken' ? checkInside(harness, one) : checkOne(harness, one, port)))
}

/** A host takes its own tokens only, and setup refuses to write one into the agents' settings: nothing here can be mended by it. */
function checkInside(harness: HarnessFacts['harness'], { file, state }: AgentFacts): Finding {
  const about = { id: 'agents', harness } as const
  if (state.kind === 'gone')
    return { ...about, level: 'note', what: `our endpoint for agents is gone from ${file}; inside a host it would not work`, cure: '' }
  return {
    ...about,
    level: 'warn',
    what: `our endpoint for agents stands in ${file}, and leads to a server beside: hooks post into a host now, and there agents can't reach it`,
    cure: 'Take the entry out of the file, or go back to a server beside: contextmd setup --no-inside',
  }
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
