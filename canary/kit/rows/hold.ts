/** Calls that are held until a rule is known, and calls that are forbidden. */
import { must } from '../../row.ts'
import { guided, HOLD, hold, NEVER, SECOND } from '../entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotHaveRun, mustNotSee, mustSee, namedFile, nth, touch } from '../expect.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import type { Block } from '../reply.ts'
import { allText } from '../request.ts'
import type { Session, Stage } from '../stage.ts'

export async function inlineHold(stage: Stage, options: object = {}): Promise<Session> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(touch(stage, 'a')), calls(touch(stage, 'b')), calls(touch(stage, 'c')), say('Done.')))
  const session = await stage.play(['Add files'], options)
  const told = session.notices().filter((notice) => notice.includes('ContextMD'))
  if (stage.rig.traits.tellsPerson) must(told.length === 1, `the person should see one line about the hold: ${told.join(' | ') || 'none'}`)
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), HOLD)
  mustNotHaveRun(stage, 'a')
  mustBeAllowed(stage, 2)
  mustBeAllowed(stage, 3)
  mustHaveRun(stage, 'b', 'c')
  mustSee(nth(stage, 3), HOLD)
  await stage.verdict('owners', 'shown')
  return session
}

/** Held, then what the deny names is read by the given call, then allowed. `line` stands in the file. */
export async function readThenAllowed(stage: Stage, reader: (file: string) => Block, line: string, options: object = {}): Promise<void> {
  await stage.begin(
    inOrder(
      calls(touch(stage, 'a')),
      (request) => calls(reader(namedFile(stage, request))),
      calls(touch(stage, 'a')),
      calls(touch(stage, 'b')),
      say('Done.'),
    ),
  )
  await stage.play(['Add a file'], options)
  mustBeDenied(stage, 1)
  mustBeAllowed(stage, 2)
  mustSee(nth(stage, 2), line)
  mustBeAllowed(stage, 3)
  mustBeAllowed(stage, 4)
  mustHaveRun(stage, 'a', 'b')
}

export async function pointerHold(stage: Stage, reader: (guide: string) => Block, options: object = {}): Promise<void> {
  await guided(stage)
  await readThenAllowed(stage, reader, 'GUIDE-LINE', options)
  await stage.verdict('guide', 'shown')
}

export const pointerReadByTool = (stage: Stage, options: object = {}): Promise<void> =>
  pointerHold(stage, stage.rig.tools.read ?? inShell(stage), options)

export const pointerReadInShell = (stage: Stage, options: object = {}): Promise<void> => pointerHold(stage, inShell(stage), options)

export function inShell(stage: Stage): (file: string) => Block {
  return (file) => stage.rig.tools.shell(`cat ${file}`)
}

/** Both texts in one answer. */
export async function twoGates(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.place.entry('names', hold(SECOND, 'Names'))
  await stage.begin(inOrder(calls(touch(stage, 'a')), calls(touch(stage, 'a')), say('Done.')))
  await stage.play(['Add a file'])
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), HOLD)
  mustSee(nth(stage, 1), SECOND)
  mustBeAllowed(stage, 2)
  await stage.verdict('owners', 'shown')
  await stage.verdict('names', 'shown')
}

/** G16: also the same call again and again, less often than any program takes for a loop. */
export async function forbidden(stage: Stage): Promise<void> {
  await stage.place.entry('week', `---\ntitle: Release week\nforbid: true\nwhen:\n  - command: touch\n---\n${NEVER}\n`)
  const tries = ['a', 'a', 'a', 'b', 'c', 'd']
  await stage.begin(inOrder(...tries.map((name) => calls(touch(stage, name))), say('I give up.')))
  await stage.play(['Add files'])
  for (const index of tries.keys()) mustBeDenied(stage, index + 1)
  mustSee(nth(stage, 1), NEVER)
  mustNotHaveRun(stage, ...tries)
  await stage.verdict('week', 'shown')
}

/** Text that was shown at a prompt is known: the first gated call goes on. */
export async function shownBefore(stage: Stage): Promise<void> {
  await stage.place.entry('owners', `---\ntitle: Owners\nmust-know: true\nwhen:\n  - command: touch\n  - prompt: owners\n---\n${HOLD}\n`)
  const { shell } = stage.rig.tools
  await stage.begin(inOrder(calls(shell('echo one')), say('Understood.'), calls(touch(stage, 'a')), say('Done.')))
  await stage.play(['What about owners?', 'Add a file'])
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 3)
  mustSee(nth(stage, 3), HOLD)
  mustHaveRun(stage, 'a')
}

/** M1: a mention is no use. */
export async function mentioned(stage: Stage): Promise<void> {
  const { shell } = stage.rig.tools
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(shell('ls'), shell('echo touch a'), shell('git log --grep "touch a" --oneline || true')), say('Done.')))
  await stage.play(['List files'])
  mustBeAllowed(stage, 1, 3)
  mustNotSee(nth(stage, 1), HOLD)
  must(!allText(nth(stage, 1)).includes('ContextMD'), 'nothing of ours should stand in the request')
}
