/** Texts that are too long for one answer or for a run, and texts of many bytes a character. */
import { must } from '../../row.ts'
import { hold, plain } from '../entries.ts'
import { mustBeAllowed, mustBeDenied, mustNotSee, mustSee, nth, touch } from '../expect.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import { allText } from '../request.ts'
import type { Stage } from '../stage.ts'
import { inShell, readThenAllowed } from './hold.ts'

/** Over the 8,000 bytes of a run, and over what one answer of most programs may carry. */
const OVER_LONG = Array.from({ length: 300 }, (_, line) => `LONG-RULE line ${line}: every part has an owner, and the owner signs.`).join(
  '\n',
)
/** 7,200 bytes in 2,400 characters: whole by the byte, far below limits in characters. */
export const MULTI_BYTE = `規則:${'署名は必ず二名で。'.repeat(260)}終`
/** 7,200 bytes in 3,600 UTF-16 units of 1,800 characters. */
export const SURROGATES = `EMOJI-RULE ${'🚦'.repeat(1_800)} end`

export async function overLongPlain(stage: Stage): Promise<void> {
  const { shell } = stage.rig.tools
  const file = await stage.place.entry('long', plain('command: ls', OVER_LONG))
  await stage.begin(inOrder(calls(shell('ls')), say('Fine.')))
  await stage.play(['List the files'])
  if (stage.rig.traits.spilled !== null) mustNotSee(nth(stage, 1), stage.rig.traits.spilled)
  mustNotSee(nth(stage, 1), 'LONG-RULE line 299')
  must(allText(nth(stage, 1)).includes(file), 'the request should name the file of the entry')
  await stage.verdict('long', 'shown')
}

/** G22: an inline rule that had to be sent as a pointer lifts once its file, or its note, was read. */
export async function overLongHold(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(OVER_LONG))
  await readThenAllowed(stage, stage.rig.tools.read ?? inShell(stage), 'LONG-RULE line 299')
  if (stage.rig.traits.spilled !== null) mustNotSee(nth(stage, 1), stage.rig.traits.spilled)
}

/** Beside a call, as every harness takes it in one way or the other. */
export async function wholeBeside(stage: Stage, text: string): Promise<void> {
  const { shell } = stage.rig.tools
  await stage.place.entry('signs', plain('command: ls', text))
  await stage.begin(inOrder(calls(shell('ls')), say('Done.')))
  await stage.play(['List the files'])
  mustSee(nth(stage, 1), text)
  await stage.verdict('signs', 'shown')
}

/** With a deny. */
export async function wholeHold(stage: Stage, text: string): Promise<void> {
  await stage.place.entry('signs', hold(text))
  await stage.begin(inOrder(calls(touch(stage, 'a')), calls(touch(stage, 'a')), say('Done.')))
  await stage.play(['Add a file'])
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), text)
  mustBeAllowed(stage, 2)
  await stage.verdict('signs', 'shown')
}
