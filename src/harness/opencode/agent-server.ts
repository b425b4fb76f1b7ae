/** Our endpoint for agents among the MCP servers of OpenCode. Its settings name the file with the token and do not hold it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  AGENT_SERVER,
  agentAddress,
  type AgentLayers,
  type AgentPlace,
  type AgentServer,
  type AgentWish,
} from '../../install/agent-server.ts'

const NAMES = ['opencode.jsonc', 'opencode.json'] as const

/** The file that is there; all that are there count, and this one last. */
export function agentPlace(scope: 'user' | 'project', { folder, project }: AgentLayers): AgentPlace {
  const files = NAMES.map((name) => join(scope === 'user' ? folder : project, name))
  const file = files.find((one) => existsSync(one)) ?? files[1] ?? ''
  return { file, format: 'json', keys: ['mcp', AGENT_SERVER] }
}

/** Without `oauth: false` a token that is refused would open a page to log in at. */
export function agentServer({ port, tokenFile }: AgentWish): AgentServer {
  return {
    type: 'remote',
    url: agentAddress('opencode', port),
    enabled: true,
    oauth: false,
    headers: { Authorization: `Bearer {file:${tokenFile}}` },
  }
}
