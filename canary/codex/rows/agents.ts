/** The endpoint for agents, in Codex's settings. */
import { HOLD, hold } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { call, calls, say } from '../../kit/reply.ts'
import { agentRows, mustBeLiftedAsRead, register, type Registered } from '../../kit/rows/agents.ts'
import type { Row } from '../../row.ts'
import { CODE_MODEL } from '../session.ts'
import type { Stage } from '../stage.ts'
import { script } from '../tools.ts'

const WAY: Registered = {
  scope: 'user',
  tool: (name, input) => call(name, input, 'mcp__contextmd'),
}

const READ = 'const r = await tools.mcp__contextmd__read_entry({id: "rules/owners"}); '
const ADD = calls(script('await tools.exec_command({cmd: "touch a"}); text("added")'))

async function printed(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(script(`${READ} text(r.content.map((c) => c.text).join(""))`)), ADD, say('Done.')))
  await register(stage, WAY)
  await stage.play(['Add a file'], { model: CODE_MODEL })
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2)
  mustHaveRun(stage, 'a')
  await mustBeLiftedAsRead(stage)
}

/** What a script keeps to itself was not read. */
async function kept(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(script(`${READ} text("read")`)), ADD, say('Done.')))
  await register(stage, WAY)
  await stage.play(['Add a file'], { model: CODE_MODEL })
  mustBeDenied(stage, 2)
}

export const AGENT_ROWS: readonly Row<Stage>[] = [
  ...agentRows(WAY),
  { name: 'R10: agents: code mode: read by our tool and printed, then the call goes on', seams: [], run: printed },
  { name: 'R10: agents: code mode: read by our tool and kept in the script is not read', seams: [], run: kept },
]
