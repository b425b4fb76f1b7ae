/** Calls that are held until a rule is known, and calls that are forbidden. */
import { must } from '../../row.ts'
import type { Row, SeamName } from '../../row.ts'
import { inOrder } from '../model.ts'
import { call, calls, read, say, shell, write } from '../reply.ts'
import type { Block } from '../reply.ts'
import { allText } from '../request.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'

export const HOLD = 'HOLD-RULE: new files get an owner in OWNERS.'
const SECOND = 'SECOND-RULE: file names are lower case.'
export const GUIDE = '# Guide\n\nGUIDE-LINE: ask the owner of the folder before a file is added.\n'
const NEVER = 'NEVER-RULE: secrets are never printed.'

export function hold(text: string, title = 'Owners'): string {
  return `---\ntitle: ${title}\nmust-know: true\nwhen:\n  - command: touch\n---\n${text}\n`
}

export function pointer(): string {
  return '---\ntitle: Guide first\nmust-know: true\nwhen:\n  - command: touch\nread: guide.txt\n---\nRead the guide before you add a file.\n'
}

/** Held, then read by the given call, then allowed: in the program's default permissions, outside of the project. */
async function pointerHold(stage: Stage, reader: (guide: string) => Block): Promise<void> {
  const entry = await stage.place.entry('guide', pointer())
  const guide = entry.replace(/guide\.md$/, 'guide.txt')
  await stage.place.write(guide, GUIDE)
  await stage.begin(inOrder(calls(touch('a')), calls(reader(guide)), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'])
  mustBeDenied(nth(stage, 1))
  must(allText(nth(stage, 1)).includes(guide), 'the deny should name the file to read')
  mustBeAllowed(nth(stage, 2))
  mustSee(nth(stage, 2), 'GUIDE-LINE')
  mustBeAllowed(nth(stage, 3))
  mustHaveRun(stage, 'a')
  await stage.verdict('guide', 'shown')
}

async function inlineHold(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('b')), calls(touch('c')), say('Done.')))
  await stage.play(['Add files'])
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 1), HOLD)
  mustNotHaveRun(stage, 'a')
  mustBeAllowed(nth(stage, 2))
  mustBeAllowed(nth(stage, 3))
  mustHaveRun(stage, 'b', 'c')
  mustSee(nth(stage, 3), HOLD)
  await stage.verdict('owners', 'shown')
}

async function twoGates(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.place.entry('names', hold(SECOND, 'Names'))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'])
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 1), HOLD)
  mustSee(nth(stage, 1), SECOND)
  mustBeAllowed(nth(stage, 2))
  await stage.verdict('owners', 'shown')
  await stage.verdict('names', 'shown')
}

async function forbidden(stage: Stage): Promise<void> {
  await stage.place.entry('secrets', `---\ntitle: Secrets\nforbid: true\nwhen:\n  - command: touch\n---\n${NEVER}\n`)
  // G16: the program asks the person after three equal calls of one reply only
  const tries = ['a', 'a', 'a', 'b', 'c', 'd']
  await stage.begin(inOrder(...tries.map((name) => calls(touch(name))), say('I give up.')))
  await stage.play(['Print it'])
  for (const index of tries.keys()) mustBeDenied(nth(stage, index + 1))
  mustSee(nth(stage, 1), NEVER)
  mustNotHaveRun(stage, ...tries)
  await stage.verdict('secrets', 'shown')
}

/** Text that was shown beside a prompt is known: the first gated call goes on. */
async function shownBefore(stage: Stage): Promise<void> {
  await stage.place.entry('owners', `---\ntitle: Owners\nmust-know: true\nwhen:\n  - command: touch\n  - prompt: owners\n---\n${HOLD}\n`)
  await stage.begin(inOrder(say('Understood.'), calls(touch('a')), say('Done.')))
  await stage.play(['What about owners?', 'Add a file'])
  mustSee(nth(stage, 0), HOLD)
  mustBeAllowed(nth(stage, 2))
  mustSee(nth(stage, 2), HOLD)
}

const ON_PATH = `---\ntitle: Plans\nmust-know: true\nwhen:\n  - path: plans/**\n    access: write\n---\n${HOLD}\n`

/** M5: the file of a patch stands in its text only. Models with GPT in their name get no other tool to write with. */
async function patched(stage: Stage): Promise<void> {
  await stage.place.entry('plans', ON_PATH)
  const patch = call('apply_patch', { patchText: '*** Begin Patch\n*** Add File: plans/a.txt\n+one\n*** End Patch' })
  await stage.begin(inOrder(calls(patch), calls(patch), say('Done.')))
  await stage.play(['Write a plan'], { model: 'gpt-5' })
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(nth(stage, 2))
  mustHaveRun(stage, 'plans/a.txt')
}

async function written(stage: Stage): Promise<void> {
  await stage.place.entry('plans', ON_PATH)
  const file = `${stage.place.project}/plans/a.txt`
  await stage.begin(inOrder(calls(write(file, 'one\n')), calls(write(file, 'one\n')), say('Done.')))
  await stage.play(['Write a plan'])
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 2))
  mustHaveRun(stage, 'plans/a.txt')
}

/** A file in a person's message is read without a call: its rule comes with the message. */
async function attached(stage: Stage): Promise<void> {
  await stage.place.entry('plans', ON_PATH.replace('access: write', 'access: read'))
  const file = await stage.place.write(`${stage.place.project}/plans/a.txt`, 'PLAN-LINE\n')
  await stage.begin(inOrder(say('Fine.')))
  const session = await stage.open()
  const part = { type: 'file', mime: 'text/plain', filename: 'plans/a.txt', url: `file://${file}` }
  await session.say([{ type: 'text', text: 'Look at @plans/a.txt' }, part])
  mustSee(nth(stage, 0), 'PLAN-LINE')
  mustSee(nth(stage, 0), HOLD)
}

/** Other calls than those of the shell, and other sessions than those that are asked for the first time. */
async function untouched(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(shell('ls'), shell('echo touch a')), say('Done.')))
  await stage.play(['List files'])
  mustBeAllowed(nth(stage, 1), 2)
  mustNotSee(nth(stage, 1), HOLD)
}

const row = (name: string, seams: readonly SeamName[], run: Row<Stage>['run']): Row<Stage> => ({ name, seams, run })
const DENY: readonly SeamName[] = ['before-tool deny']

export const HOLD_ROWS: readonly Row<Stage>[] = [
  row('inline hold, allowed at the first retry', DENY, inlineHold),
  row('default permissions: pointer hold, read tool, then allowed', DENY, (stage) => pointerHold(stage, read)),
  row('default permissions: pointer hold, read in the shell, then allowed', DENY, (stage) =>
    pointerHold(stage, (guide) => shell(`cat ${guide}`)),
  ),
  row('two gates on one call', DENY, twoGates),
  row('forbid', DENY, forbidden),
  row('shown at a prompt, then the gated call goes on', DENY, shownBefore),
  row('M5: hold on the path of apply_patch', DENY, patched),
  row('hold on a path that is written', DENY, written),
  row('rule on the path of a file in the message', ['prompt inject'], attached),
  row('M1: a mention and another command are let pass', [], untouched),
]
