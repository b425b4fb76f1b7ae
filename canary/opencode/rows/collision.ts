/** Another plugin throws for the same call: the one that was loaded first is the only one that is asked. */
import { join } from 'node:path'
import { HOLD, hold, plain } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotHaveRun, mustNotSee, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { touch } from '../tools.ts'

const OTHER = 'OTHER-PLUGIN: not on a Monday'

/** Named in the project's settings, so that it is loaded before the plugins that the program finds by itself. Throws for the first call. */
async function otherPlugin(stage: Stage): Promise<void> {
  const source = `let asked = 0
export default { id: 'other', server: async () => ({ 'tool.execute.before': async () => { if (asked++ === 0) throw new Error(${JSON.stringify(OTHER)}) } }) }
`
  await stage.place.write(join(stage.place.project, 'other.js'), source)
  await stage.place.write(join(stage.place.project, 'opencode.json'), JSON.stringify({ plugin: ['./other.js'] }))
}

async function otherFirst(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await otherPlugin(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'])
  mustSee(nth(stage, 1), OTHER)
  mustNotSee(nth(stage, 1), HOLD)
  // G12: nothing of ours was lost in it: the retry is held, with the text
  mustBeDenied(stage, 2)
  mustSee(nth(stage, 2), HOLD)
  mustBeAllowed(stage, 3)
  mustHaveRun(stage, 'a')
  await stage.verdict('owners', 'shown')
}

async function notAFailure(stage: Stage): Promise<void> {
  await stage.place.entry('failed', plain('failed: true', 'FAILED-RULE'))
  await otherPlugin(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('b')), say('Done.')))
  await stage.play(['Add a file'])
  mustSee(nth(stage, 1), OTHER)
  mustNotHaveRun(stage, 'a')
  mustNotSee(nth(stage, 2), 'FAILED-RULE')
}

export const COLLISION_ROWS: readonly Row<Stage>[] = [
  { name: 'G12: another plugin denies the same call, ours holds the retry', seams: ['before-tool deny'], run: otherFirst },
  { name: 'M7: a call that another plugin denied is no failure', seams: [], run: notAFailure },
]
