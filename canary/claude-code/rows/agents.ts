/** The endpoint for agents, in a file of MCP servers as Claude Code takes it. */
import { join } from 'node:path'
import { call } from '../../kit/reply.ts'
import { agentRows, type Registered } from '../../kit/rows/agents.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'

const WAY: Registered<Stage> = {
  async register(stage, { url, token }) {
    const headers = { Authorization: 'Bearer ${CONTEXTMD_AGENT_TOKEN}' }
    const file = join(stage.place.root, 'mcp.json')
    await stage.place.write(file, JSON.stringify({ mcpServers: { contextmd: { type: 'http', url, headers } } }))
    return { args: ['--mcp-config', file], ...stage.rig.withEnv({ CONTEXTMD_AGENT_TOKEN: token }) }
  },
  tool: (name, input) => call(`mcp__contextmd__${name}`, input),
}

export const AGENT_ROWS: readonly Row<Stage>[] = agentRows(WAY)
