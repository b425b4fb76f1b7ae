/** Calls that write, held by the path that they write to, and a task that is held. */
import { HOLD } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustSee, nth } from '../../kit/expect.ts'
import { inOrder, withSubagent } from '../../kit/model.ts'
import { call, calls, say } from '../../kit/reply.ts'
import type { Row, SeamName } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { subagent, write } from '../tools.ts'

const ON_PATH = `---\ntitle: Plans\nmust-know: true\nwhen:\n  - path: plans/**\n    access: write\n---\n${HOLD}\n`

/** M5: the file of a patch stands in its text only. Models with GPT in their name get no other tool to write with. */
async function patched(stage: Stage): Promise<void> {
  await stage.place.entry('plans', ON_PATH)
  const patch = call('apply_patch', { patchText: '*** Begin Patch\n*** Add File: plans/a.txt\n+one\n*** End Patch' })
  await stage.begin(inOrder(calls(patch), calls(patch), say('Done.')))
  await stage.play(['Write a plan'], { model: 'gpt-5' })
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2)
  mustHaveRun(stage, 'plans/a.txt')
}

async function written(stage: Stage): Promise<void> {
  await stage.place.entry('plans', ON_PATH)
  const file = `${stage.place.project}/plans/a.txt`
  await stage.begin(inOrder(calls(write(file, 'one\n')), calls(write(file, 'one\n')), say('Done.')))
  await stage.play(['Write a plan'])
  mustBeDenied(stage, 1)
  mustBeAllowed(stage, 2)
  mustHaveRun(stage, 'plans/a.txt')
}

/** A task can be held too. */
async function taskHeld(stage: Stage): Promise<void> {
  await stage.place.entry('tasks', `---\ntitle: Tasks\nmust-know: true\nwhen:\n  - tool: task\n---\n${HOLD}\n`)
  await stage.begin(withSubagent(inOrder(calls(subagent('Help')), calls(subagent('Help')), say('Done.')), inOrder(say('Helped.'))))
  await stage.play(['Let somebody help'])
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2)
}

const DENY: readonly SeamName[] = ['before-tool deny']

export const WRITE_ROWS: readonly Row<Stage>[] = [
  { name: 'M5: hold on the path of apply_patch', seams: DENY, run: patched },
  { name: 'hold on a path that is written', seams: DENY, run: written },
  { name: 'hold on a task', seams: DENY, run: taskHeld },
]
