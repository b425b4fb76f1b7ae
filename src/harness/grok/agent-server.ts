/** Our endpoint for agents among the MCP servers of Grok Build, in the person's own `config.toml`. */
import { join } from 'node:path'
import {
  AGENT_SERVER,
  agentAddress,
  type AgentLayers,
  type AgentPlace,
  type AgentServer,
  type AgentWish,
} from '../../install/agent-server.ts'

/** Null: there is no private place for it. */
export function agentPlace(scope: 'user' | 'project', { folder }: AgentLayers): AgentPlace | null {
  return scope === 'project' ? null : { file: join(folder, 'config.toml'), format: 'toml', keys: ['mcp_servers', AGENT_SERVER] }
}

export function agentServer({ port, token }: AgentWish): AgentServer {
  return { url: agentAddress('grok', port), headers: { Authorization: `Bearer ${token}` } }
}
