/**
 * Our endpoint for agents among the MCP servers of Claude Code: in the file that it keeps for the person alone.
 *
 * `.mcp.json` of a project is meant to be committed, so no token may stand there; what Claude Code calls the local scope is a part of
 * the person's own file.
 */
import { join } from 'node:path'
import {
  AGENT_SERVER,
  agentAddress,
  type AgentLayers,
  type AgentPlace,
  type AgentServer,
  type AgentWish,
} from '../../install/agent-server.ts'

/** The file stands in the settings folder where a variable names one, else beside it (2.1.332, measured). */
export function agentPlace(scope: 'user' | 'project', { folder, home, isFolderNamed, project }: AgentLayers): AgentPlace {
  const file = join(isFolderNamed ? folder : home, '.claude.json')
  const keys = ['mcpServers', AGENT_SERVER]
  return { file, format: 'json', keys: scope === 'user' ? keys : ['projects', project, ...keys] }
}

export function agentServer({ port, token }: AgentWish): AgentServer {
  return { type: 'http', url: agentAddress('claude-code', port), headers: { Authorization: `Bearer ${token}` } }
}
