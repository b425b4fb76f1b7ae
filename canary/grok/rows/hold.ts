/** Calls that are held until a rule is known, and calls that are forbidden. The reason of a deny holds 256 characters. */
import { must } from '../../row.ts'
import type { Row, SeamName } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, read, say, shell } from '../reply.ts'
import type { Call } from '../reply.ts'
import type { ModelRequest } from '../request.ts'
import type { SessionOptions } from '../session.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotHaveRun, mustSee, nth, touch } from './expect.ts'

export const HOLD = 'HOLD-RULE: new files get an owner in OWNERS.'
const SECOND = 'SECOND-RULE: file names are lower case.'
export const GUIDE = '# Guide\n\nGUIDE-LINE: ask the owner of the folder before a file is added.\n'
const NEVER = 'NEVER-RULE: secrets are never printed.'
/** Longer than a reason, far shorter than what stands beside a call. */
const LONGER = `LONGER-RULE: ${'every part has an owner, and the owner signs. '.repeat(12)}LONGER-END`

/** Marks the harness's own words where it clipped a reason (X3). */
const CLIPPED = /… \[\+\d+ chars\]/

export function hold(text: string, title = 'Owners'): string {
  return `---\ntitle: ${title}\nmust-know: true\nwhen:\n  - command: touch\n---\n${text}\n`
}

export function pointer(): string {
  return '---\ntitle: Guide first\nmust-know: true\nwhen:\n  - command: touch\nread: guide.txt\n---\nRead the guide before you add a file.\n'
}

/** The file that the deny names: the entry's own, a file to read, or a note. */
export function namedFile(stage: Stage, request: ModelRequest): string {
  const text = request.fresh.map((part) => part.text).join('\n')
  must(!CLIPPED.test(text), `the reason should be whole: ${text}`)
  const path = text.split(/[\s`"'()<>]+/).find((word) => word.startsWith(stage.place.root) && /\.(md|txt)[.,;:]?$/.test(word))
  must(path !== undefined, `the deny should name a file to read: ${text.slice(0, 300)}`)
  return path.replace(/[.,;:]$/, '')
}

/** Held, then what the deny names is read by the given call, then allowed. */
async function readThenAllowed(
  stage: Stage,
  reader: (file: string) => Call,
  line: string,
  options: Partial<SessionOptions> = {},
): Promise<void> {
  await stage.begin(inOrder(calls(touch('a')), (request) => calls(reader(namedFile(stage, request))), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'], options)
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 2))
  mustSee(nth(stage, 2), line)
  mustBeAllowed(nth(stage, 3))
  mustHaveRun(stage, 'a')
}

async function pointerHold(stage: Stage, reader: (guide: string) => Call, options: Partial<SessionOptions> = {}): Promise<void> {
  const entry = await stage.place.entry('guide', pointer())
  await stage.place.write(entry.replace(/guide\.md$/, 'guide.txt'), GUIDE)
  await readThenAllowed(stage, reader, 'GUIDE-LINE', options)
  await stage.verdict('guide', 'shown')
}

/** X3, G22: too long for a reason, so it names a note, which is not the entry's own file. */
async function noteHold(stage: Stage, reader: (note: string) => Call, options: Partial<SessionOptions> = {}): Promise<void> {
  await stage.place.entry('owners', hold(LONGER))
  await readThenAllowed(stage, reader, 'LONGER-END', options)
  must(namedFile(stage, nth(stage, 1)).startsWith(`${stage.place.data}/notes/`), 'the deny should name a note')
  await stage.verdict('owners', 'shown')
}

export async function inlineHold(stage: Stage, options: Partial<SessionOptions> = {}): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('b')), calls(touch('c')), say('Done.')))
  const { notices } = await stage.play(['Add files'], options)
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 1), HOLD)
  mustNotHaveRun(stage, 'a')
  mustBeAllowed(nth(stage, 2))
  mustBeAllowed(nth(stage, 3))
  mustHaveRun(stage, 'b', 'c')
  mustSee(nth(stage, 3), HOLD)
  await stage.verdict('owners', 'shown')
  if (options.way === 'acp')
    must(
      notices.some((notice) => notice.includes('ContextMD')),
      `the person should see a line about the hold: ${notices.join(' | ')}`,
    )
}

/** One text fills a reason: the second gate comes at the retry. */
async function twoGates(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(`${HOLD} ${'x'.repeat(60)}`))
  await stage.place.entry('names', hold(`${SECOND} ${'y'.repeat(60)}`, 'Names'))
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'])
  mustBeDenied(nth(stage, 1))
  mustBeDenied(nth(stage, 2))
  mustSee(nth(stage, 2), HOLD)
  mustSee(nth(stage, 2), SECOND)
  mustBeAllowed(nth(stage, 3))
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

/** G16: the harness ends the turn after the twelfth identical denied call; a gate lets it pass long before. */
async function sameCallAgain(stage: Stage): Promise<void> {
  await stage.place.entry('guide', pointer())
  await stage.place.write(`${stage.place.store}/guide.txt`, GUIDE)
  await stage.begin(inOrder(...Array.from({ length: 7 }, () => calls(touch('a'))), say('Done.')))
  await stage.play(['Add a file'])
  mustHaveRun(stage, 'a')
  must(stage.main().length === 8, `the turn should have gone on to its end; the model was asked ${stage.main().length} times`)
}

/** Text that was shown beside an earlier call is known: the first gated call goes on. */
async function shownBefore(stage: Stage): Promise<void> {
  await stage.place.entry('owners', `---\ntitle: Owners\nmust-know: true\nwhen:\n  - command: touch\n  - prompt: owners\n---\n${HOLD}\n`)
  await stage.begin(inOrder(calls(shell('echo one')), calls(touch('a')), say('Done.')))
  await stage.play(['What about owners?'])
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(nth(stage, 2))
  mustHaveRun(stage, 'a')
  mustSee(nth(stage, 2), HOLD)
}

const row = (name: string, seams: readonly SeamName[], run: Row<Stage>['run']): Row<Stage> => ({ name, seams, run })
const DENY: readonly SeamName[] = ['before-tool deny']
/** Nothing but the gated call itself is allowed by hand: what is named must be readable all the same. */
const DEFAULT = { permissions: 'default', args: ['--allow', 'Bash(touch *)'] } as const
const cat = (file: string): Call => shell(`cat ${file}`)

export const HOLD_ROWS: readonly Row<Stage>[] = [
  row('G21: inline hold, allowed at the first retry', DENY, (stage) => inlineHold(stage)),
  row('X3: longer inline hold, its note read with the read tool, then allowed', DENY, (stage) => noteHold(stage, read)),
  row('X3: longer inline hold, its note read in the shell, then allowed', DENY, (stage) => noteHold(stage, cat)),
  row('pointer hold, read with the read tool, then allowed', DENY, (stage) => pointerHold(stage, read)),
  row('pointer hold, read in the shell, then allowed', DENY, (stage) => pointerHold(stage, cat)),
  row('two gates on one call', DENY, twoGates),
  row('forbid', DENY, forbidden),
  row('G16: the same held call again and again', DENY, sameCallAgain),
  row('shown beside a call, then the gated call goes on', ['before-tool inject'], shownBefore),
  row('default permissions: inline hold', DENY, (stage) => inlineHold(stage, DEFAULT)),
  row('default permissions: a note, read tool', DENY, (stage) => noteHold(stage, read, DEFAULT)),
  row('default permissions: a note, in the shell', DENY, (stage) => noteHold(stage, cat, DEFAULT)),
  row('ACP: inline hold, and a line for the person', DENY, (stage) => inlineHold(stage, { way: 'acp' })),
  row('ACP: a note, read tool', DENY, (stage) => noteHold(stage, read, { way: 'acp' })),
]
