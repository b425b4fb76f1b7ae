/** A person is stronger than a rule: edits, lifts and switching off count at the next moment. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runContextMD } from '../../contextmd.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { HOLD, hold } from './hold.ts'

const AT_PROMPT = 'PROMPT-RULE: deployments are announced first.'
const EDITED = 'EDITED-RULE: deployments wait for the afternoon.'
const NEW_HOLD = 'NEW-HOLD-RULE: new files get two owners.'
const NEVER = 'NEVER-RULE: no new files in the release week.'

function atPrompt(text: string): string {
  return `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n---\n${text}\n`
}

async function edited(stage: Stage): Promise<void> {
  await stage.place.entry('deploy', atPrompt(AT_PROMPT))
  await stage.begin(inOrder(say('Fine.'), say('Fine.'), say('Fine.')))
  const session = await stage.play(['Now deploy it', 'Now deploy it again'])
  await stage.place.entry('deploy', atPrompt(EDITED))
  await session.say('And deploy it once more')
  mustSee(nth(stage, 1), AT_PROMPT)
  mustNotSee(nth(stage, 1), EDITED)
  mustSee(nth(stage, 2), EDITED)
  await stage.verdict('deploy', 'shown')
}

async function editedHold(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.')))
  const session = await stage.play(['Add a file'])
  await stage.place.entry('owners', hold(NEW_HOLD))
  await session.say('Add another')
  mustBeAllowed(nth(stage, 2))
  mustBeDenied(nth(stage, 4))
  mustSee(nth(stage, 4), NEW_HOLD)
  mustBeAllowed(nth(stage, 5))
}

async function lifted(stage: Stage): Promise<void> {
  await stage.place.entry('week', `---\ntitle: Release week\nforbid: true\nwhen:\n  - command: touch\n---\n${NEVER}\n`)
  await stage.begin(inOrder(calls(touch('a')), say('It is forbidden.'), calls(touch('a')), say('Done.')))
  const session = await stage.play(['Add a file'])
  await runContextMD(stage.place, ['lift', 'rules/week'], {})
  await session.say('Now you may')
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 3))
  mustHaveRun(stage, 'a')
}

async function switchedOffAndOn(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.')))
  await runContextMD(stage.place, ['off'], {})
  const session = await stage.play(['Add a file'])
  await runContextMD(stage.place, ['on'], {})
  await session.say('Add another')
  mustBeAllowed(nth(stage, 1))
  mustBeDenied(nth(stage, 3))
  mustBeAllowed(nth(stage, 4))
}

/** Set up for the person, and for the project as well: the plugin runs once. */
async function bothScopes(stage: Stage): Promise<void> {
  await stage.place.entry('deploy', atPrompt(AT_PROMPT))
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')), { setup: [] })
  await runContextMD(stage.place, ['setup', 'opencode', '--scope', 'project', '--port', String(stage.server().port)], {})
  await stage.restart()
  await stage.play(['Add a file, then deploy'])
  mustSee(nth(stage, 0), AT_PROMPT)
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 2))
  const told = (await stage.server().log()).filter((row) => row.kind === 'before-tool')
  must(told.length === 2, `two calls should be told, each once; it is ${told.length}`)
}

/** A subtask that the person's own command starts is never stopped: an error there breaks the session. */
async function subtaskCommand(stage: Stage): Promise<void> {
  await stage.place.entry('tasks', `---\ntitle: Tasks\nforbid: true\nwhen:\n  - tool: task\n---\n${NEVER}\n`)
  await mkdir(join(stage.place.project, '.opencode', 'command'), { recursive: true })
  await writeFile(
    join(stage.place.project, '.opencode', 'command', 'help.md'),
    '---\nagent: general\nsubtask: true\n---\nHelp with $ARGUMENTS\n',
  )
  await stage.begin(inOrder(say('Done.')))
  const session = await stage.open()
  await session.command('help', 'this')
  must(
    stage.model.requests().some(({ agent }) => agent !== null),
    'the subagent of the command should have run',
  )
}

export const PERSON_ROWS: readonly Row<Stage>[] = [
  { name: 'an edit counts at the next prompt', seams: ['prompt inject'], run: edited },
  { name: 'an edited must-know entry holds again', seams: ['before-tool deny'], run: editedHold },
  { name: 'contextmd lift frees a forbidden call', seams: [], run: lifted },
  { name: 'contextmd off and on', seams: [], run: switchedOffAndOn },
  { name: 'set up for the person and the project: the plugin runs once', seams: ['prompt inject', 'before-tool deny'], run: bothScopes },
  { name: "a subtask of the person's own command is let pass", seams: [], run: subtaskCommand },
]
