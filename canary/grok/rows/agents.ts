/** The endpoint for agents, in Grok Build's settings. */
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { call } from '../../kit/reply.ts'
import { agentRows, type Registered } from '../../kit/rows/agents.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'

const WAY: Registered<Stage> = {
  async register(stage, { url, token }) {
    const server = `\n[mcp_servers.contextmd]\nurl = "${url}"\nheaders = { Authorization = "Bearer ${token}" }\n`
    await appendFile(join(stage.place.harnessConfig, 'config.toml'), server)
    return {}
  },
  // the program has its models call tools of MCP servers through one of its own
  tool: (name, input) => call('use_tool', { tool_name: `contextmd__${name}`, tool_input: input }),
}

export const AGENT_ROWS: readonly Row<Stage>[] = agentRows(WAY)
