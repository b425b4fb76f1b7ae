/** What the program itself says in a person's place. */
import { until } from '../../contextmd.ts'
import { plain } from '../../kit/entries.ts'
import { mustNotSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import { allText } from '../../kit/request.ts'
import { mustBeOneRun } from '../../kit/rows/subagent.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { background, shell } from '../tools.ts'

const AT_TASK = 'TASK-RULE: tasks are written down first.'
/** The background command takes a second; a busy machine far longer. */
const NOTICE_TIMEOUT_MS = 60_000

/** T13: the notice of a background command starts a turn that nobody typed: no rule for prompts, and no new run. */
async function backgroundNotice(stage: Stage): Promise<void> {
  await stage.place.entry('tasks', plain('prompt: task', AT_TASK))
  await stage.begin(inOrder(calls(background('sleep 1; echo late')), say('It is on its way.'), calls(shell('echo seen')), say('Noted.')))
  const session = await stage.open({ way: 'acp' })
  await session.say('Go')
  const isTold = async (): Promise<boolean> => stage.main().length >= 4
  must(
    await until(isTold, NOTICE_TIMEOUT_MS),
    `the model should have been told that the command is done; it was asked ${stage.main().length} times`,
  )
  await session.end()
  must(allText(nth(stage, 2)).includes('Background task'), 'the notice should be in what the model was sent')
  mustNotSee(nth(stage, 3), AT_TASK)
  await mustBeOneRun(stage)
}

export const NOTICE_ROWS: readonly Row<Stage>[] = [{ name: 'T13: the notice of a background command', seams: [], run: backgroundNotice }]
