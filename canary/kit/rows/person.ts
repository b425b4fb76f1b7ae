/** A person is stronger than a rule: edits, lifts and switching off count at the next moment. */
import { runContextMD } from '../../contextmd.ts'
import { AT_PROMPT, HOLD, hold, NEVER, plain, usual } from '../entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from '../expect.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import type { Stage } from '../stage.ts'
import { twice } from './epoch.ts'

const BESIDE = 'FIRST-RULE: listings are short.'
const EDITED = 'EDITED-RULE: listings are sorted.'
const NEW_HOLD = 'NEW-HOLD-RULE: new files get two owners.'

export async function edited(stage: Stage): Promise<void> {
  const list = calls(stage.rig.tools.shell('ls'))
  await stage.place.entry('listing', plain('command: ls', BESIDE))
  await stage.begin(inOrder(list, list, say('Fine.'), list, say('Fine.')))
  const session = await stage.open()
  await session.say('List the files')
  await stage.place.entry('listing', plain('command: ls', EDITED))
  await session.say('List them once more')
  await session.end()
  mustSee(nth(stage, 2), BESIDE)
  mustNotSee(nth(stage, 3), EDITED)
  mustSee(nth(stage, 4), EDITED)
  await stage.verdict('listing', 'shown')
}

export async function editedHold(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(twice(stage))
  const session = await stage.open()
  await session.say('Add a file')
  await stage.place.entry('owners', hold(NEW_HOLD))
  await session.say('Add another')
  await session.end()
  mustBeAllowed(stage, 2)
  mustBeDenied(stage, 4)
  mustSee(nth(stage, 4), NEW_HOLD)
  mustBeAllowed(stage, 5)
}

export async function lifted(stage: Stage): Promise<void> {
  await stage.place.entry('week', `---\ntitle: Release week\nforbid: true\nwhen:\n  - command: touch\n---\n${NEVER}\n`)
  const add = calls(touch(stage, 'a'))
  await stage.begin(inOrder(add, say('It is forbidden.'), add, say('Done.')))
  const session = await stage.open()
  await session.say('Add a file')
  await runContextMD(stage.place, ['lift', 'rules/week'], {})
  await session.say('Now you may')
  await session.end()
  mustBeDenied(stage, 1)
  mustBeAllowed(stage, 3)
  mustHaveRun(stage, 'a')
}

export async function switchedOffAndOn(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(touch(stage, 'a')), say('Done.'), calls(touch(stage, 'b')), calls(touch(stage, 'b')), say('Done.')))
  const session = await stage.open()
  await runContextMD(stage.place, ['off'], {})
  await session.say('Add a file')
  await runContextMD(stage.place, ['on'], {})
  await session.say('Add another')
  await session.end()
  mustBeAllowed(stage, 1)
  mustBeDenied(stage, 3)
  mustBeAllowed(stage, 4)
}

/** `options`: of the session, where the program must be told that the folder is trusted. */
export async function projectScope(stage: Stage, options: object = {}): Promise<void> {
  await usual(stage)
  await stage.begin(inOrder(calls(touch(stage, 'a')), calls(touch(stage, 'a')), say('Done.')), { setup: ['--scope', 'project'] })
  await stage.play(['Add a file, then deploy'], options)
  mustBeDenied(stage, 1)
  mustBeAllowed(stage, 2)
  mustSee(nth(stage, 2), AT_PROMPT)
}
