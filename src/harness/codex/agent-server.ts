/** Our endpoint for agents among the MCP servers of Codex. Its `config.toml` is private (mode 600); a project's is committed. */
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

/** A static header authenticates every request (0.171.0, measured). */
export function agentServer({ port, token }: AgentWish): AgentServer {
  return { url: agentAddress('codex', port), http_headers: { Authorization: `Bearer ${token}` } }
}
