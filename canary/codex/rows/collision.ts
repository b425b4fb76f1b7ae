/** Another hook denies the same call: of two reasons only the one of the hook that is configured first reaches the model. */
import { join } from 'node:path'
import { denyOnce, notAFailure, textBeside, textInReason } from '../../kit/rows/collision.ts'
import type { Stage as AnyStage } from '../../kit/stage.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'

/** It is there before setup, which puts ours behind it. */
async function otherHook(stage: Stage): Promise<void> {
  const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: denyOnce(stage), timeout: 10 }] }] }
  await stage.place.write(join(stage.place.harnessConfig, 'hooks.json'), JSON.stringify({ hooks }, null, 2))
}

/** The other hook stays trusted or not as it was: here it runs without being asked for. */
const play = (stage: AnyStage, prompt: string): Promise<unknown> => stage.play([prompt], { settings: { bypass_hook_trust: true } })

const row = (name: string, seams: Row<Stage>['seams'], run: typeof textBeside): Row<Stage> => ({
  name,
  seams,
  run: async (stage) => {
    await otherHook(stage)
    await run(stage, play)
  },
})

export const COLLISION_ROWS: readonly Row<Stage>[] = [
  row('G12: another hook denies the same call, our text arrives', ['before-tool deny', 'before-tool inject'], textBeside),
  row('G12: text in the reason, another deny wins', ['before-tool deny'], textInReason),
  row('M7: a call that another hook denied is no failure', [], notAFailure),
]
