/** Another hook denies the same call: of two reasons only the one that comes last reaches the model. */
import { join } from 'node:path'
import { until } from '../../contextmd.ts'
import { denyOnce, notAFailure, textBeside, textInReason } from '../../kit/rows/collision.ts'
import type { Stage as AnyStage } from '../../kit/stage.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'

/** Within it the program has asked all hooks, on a busy machine too. */
const ASKED_WITHIN_MS = 60_000
/** From our decision until the program has our answer: it is written at once. */
const ANSWER_S = '0.4'
/** Ten looks a second, as long as the program waits for a hook. */
const MOST_LOOKS = 550

/** Denies once our server has decided about the call, so that its reason comes last whatever the machine does. */
async function withOther(stage: AnyStage, prompt: string): Promise<void> {
  const decided = join(stage.place.root, 'ours-has-decided')
  const wait = `n=0; until [ -e '${decided}' ] || [ $n = ${MOST_LOOKS} ]; do sleep 0.1; n=$((n + 1)); done; sleep ${ANSWER_S}; `
  const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: denyOnce(stage, wait) }] }] }
  const playing = stage.play([prompt], { args: ['--settings', JSON.stringify({ hooks })] })
  const hasDecided = async (): Promise<boolean> => (await stage.server().log()).some((row) => row.kind === 'before-tool')
  await Promise.race([playing, until(hasDecided, ASKED_WITHIN_MS)])
  await stage.place.write(decided, '')
  await playing
}

export const COLLISION_ROWS: readonly Row<Stage>[] = [
  {
    name: 'G12: another hook denies the same call, our text arrives',
    seams: ['before-tool deny', 'before-tool inject'],
    run: (stage) => textBeside(stage, withOther),
  },
  { name: 'G12: text in the reason, another deny wins', seams: ['before-tool deny'], run: (stage) => textInReason(stage, withOther) },
  { name: 'M7: a call that another hook denied is no failure', seams: [], run: (stage) => notAFailure(stage, withOther) },
]
