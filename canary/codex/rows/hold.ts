/** Calls that are held until a rule is known, and calls that are forbidden. */
import { must } from '../../row.ts'
import type { Row, SeamName } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, patch, say, script, shell } from '../reply.ts'
import type { Block } from '../reply.ts'
import { allText } from '../request.ts'
import { CODE_MODEL } from '../session.ts'
import type { SessionOptions } from '../session.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotHaveRun, mustSee, nth, touch } from './expect.ts'

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

/** Held, then read by the given call, then allowed. */
async function pointerHold(stage: Stage, reader: (guide: string) => Block, options: Partial<SessionOptions> = {}): Promise<void> {
  const entry = await stage.place.entry('guide', pointer())
  const guide = entry.replace(/guide\.md$/, 'guide.txt')
  await stage.place.write(guide, GUIDE)
  await stage.begin(inOrder(calls(touch('a')), calls(reader(guide)), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'], options)
  mustBeDenied(nth(stage, 1))
  must(allText(nth(stage, 1)).includes(guide), 'the deny should name the file to read')
  mustBeAllowed(nth(stage, 2))
  mustSee(nth(stage, 2), 'GUIDE-LINE')
  mustBeAllowed(nth(stage, 3))
  mustHaveRun(stage, 'a')
  await stage.verdict('guide', 'shown')
}

export async function inlineHold(stage: Stage, options: Partial<SessionOptions> = {}): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('b')), calls(touch('c')), say('Done.')))
  const { notices } = await stage.play(['Add files'], options)
  must(
    notices.filter((notice) => notice.includes('ContextMD')).length === 1,
    `the person should see one line about the hold: ${notices.join(' | ')}`,
  )
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
  const tries = ['a', 'b', 'c', 'd', 'e', 'f']
  await stage.begin(inOrder(...tries.map((name) => calls(touch(name))), say('I give up.')))
  await stage.play(['Print it'])
  for (const index of tries.keys()) mustBeDenied(nth(stage, index + 1))
  mustSee(nth(stage, 1), NEVER)
  mustNotHaveRun(stage, ...tries)
  await stage.verdict('secrets', 'shown')
}

/** Text that was shown beside an earlier call is known: the first gated call goes on. */
async function loadedBefore(stage: Stage): Promise<void> {
  await stage.place.entry('owners', `---\ntitle: Owners\nmust-know: true\nwhen:\n  - command: touch\n  - prompt: owners\n---\n${HOLD}\n`)
  await stage.begin(inOrder(say('Understood.'), calls(touch('a')), say('Done.')))
  await stage.play(['What about owners?', 'Add a file'])
  mustSee(nth(stage, 0), HOLD)
  mustBeAllowed(nth(stage, 2))
  mustSee(nth(stage, 2), HOLD)
}

/** G15: of a deny that the script catches the model sees nothing but the text beside it. */
async function swallowed(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  const code = (name: string) => `try { await tools.exec_command({cmd: "touch ${name}"}); } catch {} text("tried ${name}")`
  await stage.begin(inOrder(calls(script(code('a'))), calls(script(code('b'))), say('Done.')))
  await stage.play(['Add files'], { model: CODE_MODEL })
  mustSee(nth(stage, 1), HOLD)
  mustNotHaveRun(stage, 'a')
  mustHaveRun(stage, 'b')
  await stage.verdict('owners', 'shown')
}

async function readInScript(stage: Stage): Promise<void> {
  const guide = (await stage.place.entry('guide', pointer())).replace(/guide\.md$/, 'guide.txt')
  await stage.place.write(guide, GUIDE)
  const run = (command: string) => calls(script(`const r = await tools.exec_command({cmd: ${JSON.stringify(command)}}); text(r.output)`))
  await stage.begin(inOrder(run('touch a'), run(`cat ${guide}`), run('touch a'), say('Done.')))
  await stage.play(['Add a file'], { model: CODE_MODEL })
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 2), 'GUIDE-LINE')
  mustBeAllowed(nth(stage, 3))
  mustHaveRun(stage, 'a')
}

async function heldPatch(stage: Stage): Promise<void> {
  await stage.place.entry('owners', `---\ntitle: Owners\nmust-know: true\nwhen:\n  - path: docs/**\n    access: write\n---\n${HOLD}\n`)
  const change = calls(patch('*** Add File: docs/a.txt', '+lorem'))
  await stage.begin(inOrder(change, change, say('Done.')))
  await stage.play(['Write the docs'])
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(nth(stage, 2))
  mustHaveRun(stage, 'docs/a.txt')
}

const row = (name: string, seams: readonly SeamName[], run: Row<Stage>['run']): Row<Stage> => ({ name, seams, run })
const DENY: readonly SeamName[] = ['before-tool deny', 'before-tool inject']

export const HOLD_ROWS: readonly Row<Stage>[] = [
  row('inline hold, allowed at the first retry', DENY, (stage) => inlineHold(stage)),
  row('pointer hold, read in the shell, then allowed', DENY, (stage) => pointerHold(stage, (guide) => shell(`cat ${guide}`))),
  row('two gates on one call', DENY, twoGates),
  row('forbid', DENY, forbidden),
  row('shown at a prompt, then the gated call goes on', DENY, loadedBefore),
  row('G15: code mode: the script swallows the deny, the rule arrives all the same', DENY, swallowed),
  row('code mode: pointer hold, read in a script, then allowed', DENY, readInScript),
  row('hold on a patch', DENY, heldPatch),
]
