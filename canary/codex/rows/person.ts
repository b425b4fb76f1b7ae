/** A person is stronger than a rule: edits, lifts and switching off count at the next moment. */
import { runContextMD } from '../../contextmd.ts'
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
  const session = stage.open()
  await session.say('Now deploy it')
  await session.say('Now deploy it again')
  await stage.place.entry('deploy', atPrompt(EDITED))
  await session.say('And deploy it once more')
  await session.end()
  mustSee(nth(stage, 1), AT_PROMPT)
  mustNotSee(nth(stage, 1), EDITED)
  mustSee(nth(stage, 2), EDITED)
  await stage.verdict('deploy', 'shown')
}

async function editedHold(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.')))
  const session = stage.open()
  await session.say('Add a file')
  await stage.place.entry('owners', hold(NEW_HOLD))
  await session.say('Add another')
  await session.end()
  mustBeAllowed(nth(stage, 2))
  mustBeDenied(nth(stage, 4))
  mustSee(nth(stage, 4), NEW_HOLD)
  mustBeAllowed(nth(stage, 5))
}

async function lifted(stage: Stage): Promise<void> {
  await stage.place.entry('week', `---\ntitle: Release week\nforbid: true\nwhen:\n  - command: touch\n---\n${NEVER}\n`)
  await stage.begin(inOrder(calls(touch('a')), say('It is forbidden.'), calls(touch('a')), say('Done.')))
  const session = stage.open()
  await session.say('Add a file')
  await runContextMD(stage.place, ['lift', 'rules/week'], {})
  await session.say('Now you may')
  await session.end()
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 3))
  mustHaveRun(stage, 'a')
}

async function switchedOffAndOn(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.')))
  const session = stage.open()
  await runContextMD(stage.place, ['off'], {})
  await session.say('Add a file')
  await runContextMD(stage.place, ['on'], {})
  await session.say('Add another')
  await session.end()
  mustBeAllowed(nth(stage, 1))
  mustBeDenied(nth(stage, 3))
  mustBeAllowed(nth(stage, 4))
}

async function projectScope(stage: Stage): Promise<void> {
  await stage.place.entry('deploy', atPrompt(AT_PROMPT))
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')), { scope: 'project' })
  await stage.play(['Add a file, then deploy'])
  mustSee(nth(stage, 0), AT_PROMPT)
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 2))
}

export const PERSON_ROWS: readonly Row<Stage>[] = [
  { name: 'an edit counts at the next prompt', seams: ['prompt inject'], run: edited },
  { name: 'an edited must-know entry holds again', seams: ['before-tool deny'], run: editedHold },
  { name: 'contextmd lift frees a forbidden call', seams: [], run: lifted },
  { name: 'contextmd off and on', seams: [], run: switchedOffAndOn },
  { name: 'hooks in the project', seams: ['prompt inject', 'before-tool deny'], run: projectScope },
]
