/** A subagent in the background, whose notice comes as a prompt that nobody typed. */
import { plain } from '../../kit/entries.ts'
import { mustNotSee } from '../../kit/expect.ts'
import { inOrder, withSubagent } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import { allText } from '../../kit/request.ts'
import { mustBeOneRun } from '../../kit/rows/subagent.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { subagent } from '../tools.ts'

const AT_TASK = 'TASK-RULE: tasks are written down first.'

/** T13: no rule for prompts, and no new run. */
async function inBackground(stage: Stage): Promise<void> {
  await stage.place.entry('tasks', plain('prompt: task', AT_TASK))
  const main = inOrder(calls(subagent('Help', 'background')), say('It is on its way.'), say('Noted.'))
  await stage.begin(withSubagent(main, inOrder(say('Helped.'))))
  await stage.play(['Go'])
  const notice = stage.main().find((request) => allText(request).includes('<task-notification>'))
  must(notice !== undefined, 'the model should have been told that the subagent is done')
  mustNotSee(notice, AT_TASK)
  await mustBeOneRun(stage)
}

export const SUBAGENT_ROWS: readonly Row<Stage>[] = [
  { name: 'T13: the notice of a subagent in the background', seams: [], run: inBackground },
]
