/** The endpoint for agents, in a project's settings for OpenCode. */
import { call } from '../../kit/reply.ts'
import { agentRows, type Registered } from '../../kit/rows/agents.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'

const WAY: Registered = {
  scope: 'project',
  tool: (name, input) => call(`contextmd_${name}`, input),
}

export const AGENT_ROWS: readonly Row<Stage>[] = agentRows(WAY)
