/** The endpoint for agents, in a project's settings for OpenCode. */
import { join } from 'node:path'
import { call } from '../../kit/reply.ts'
import { agentRows, type Registered } from '../../kit/rows/agents.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'

const WAY: Registered<Stage> = {
  async register(stage, { url, token }) {
    const server = { type: 'remote', url, headers: { Authorization: `Bearer ${token}` } }
    await stage.place.write(join(stage.place.project, 'opencode.json'), JSON.stringify({ mcp: { contextmd: server } }))
    return {}
  },
  tool: (name, input) => call(`contextmd_${name}`, input),
}

export const AGENT_ROWS: readonly Row<Stage>[] = agentRows(WAY)
