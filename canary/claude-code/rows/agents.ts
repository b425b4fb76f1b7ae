/** The endpoint for agents, as setup writes it into Claude Code's own file. */
import { call } from '../../kit/reply.ts'
import { agentRows, type Registered } from '../../kit/rows/agents.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'

const WAY: Registered = {
  scope: 'user',
  tool: (name, input) => call(`mcp__contextmd__${name}`, input),
}

export const AGENT_ROWS: readonly Row<Stage>[] = agentRows(WAY)
