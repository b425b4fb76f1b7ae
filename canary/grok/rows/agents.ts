/** The endpoint for agents, in Grok Build's settings. */
import { call } from '../../kit/reply.ts'
import { agentRows, type Registered } from '../../kit/rows/agents.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'

const WAY: Registered = {
  scope: 'user',
  // the program has its models call tools of MCP servers through one of its own
  tool: (name, input) => call('use_tool', { tool_name: `contextmd__${name}`, tool_input: input }),
}

export const AGENT_ROWS: readonly Row<Stage>[] = agentRows(WAY)
