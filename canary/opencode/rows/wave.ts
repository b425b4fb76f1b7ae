/** Calls of one reply: none of them proves or frees another, and the text is sent once. */
import { join } from 'node:path'
import type { Row, SeamName } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, read, say, shell } from '../reply.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotHaveRun, mustSee, nth, touch } from './expect.ts'
import { GUIDE, HOLD, hold, pointer } from './hold.ts'

async function parallelWave(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  const wave = calls(touch('a'), touch('b'), touch('c'), touch('d'))
  await stage.begin(inOrder(wave, wave, say('Done.')))
  await stage.play(['Add files'])
  mustBeDenied(nth(stage, 1), 4)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(nth(stage, 2), 4)
  mustHaveRun(stage, 'a', 'b', 'c', 'd')
  await stage.verdict('owners', 'shown')
}

/** The model has read nothing when the second call is made, although the result of the first may be there. */
async function readingAndGated(stage: Stage): Promise<void> {
  const guide = (await stage.place.entry('guide', pointer())).replace(/guide\.md$/, 'guide.txt')
  await stage.place.write(guide, GUIDE)
  await stage.begin(inOrder(calls(read(guide), touch('a')), calls(touch('b')), say('Done.')))
  await stage.play(['Add a file'])
  mustNotHaveRun(stage, 'a')
  mustSee(nth(stage, 1), 'Not a failure')
  mustBeAllowed(nth(stage, 2))
  mustHaveRun(stage, 'b')
}

/** A call that is denied does not stop the others of its reply. */
async function sibling(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(shell('echo SIBLING > s.txt'), touch('a')), calls(touch('a')), say('Done.')))
  await stage.play(['Add files'])
  mustHaveRun(stage, 's.txt')
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(nth(stage, 2))
  mustHaveRun(stage, 'a')
}

async function openAtOnce(stage: Stage): Promise<void> {
  await stage.place.entry('plans', `---\ntitle: Plans\nmust-know: true\nwhen:\n  - path: plans/**\n---\n${HOLD}\n`)
  const names = Array.from({ length: 8 }, (_, index) => `plan-${index}.txt`)
  for (const name of names) await stage.place.write(join(stage.place.project, 'plans', name), `Plan of ${name}\n`)
  const wave = calls(...names.map((name) => read(join(stage.place.project, 'plans', name))))
  await stage.begin(inOrder(wave, wave, say('Done.')))
  await stage.play(['Read the plans'])
  mustBeDenied(nth(stage, 1), names.length)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(nth(stage, 2), names.length)
  await stage.verdict('plans', 'shown')
}

const DENY: readonly SeamName[] = ['before-tool deny']

export const WAVE_ROWS: readonly Row<Stage>[] = [
  { name: 'G20: a parallel wave', seams: DENY, run: parallelWave },
  { name: 'T6: a wave of calls that are open at once', seams: DENY, run: openAtOnce },
  { name: 'G19: a reading and a gated call in one reply', seams: DENY, run: readingAndGated },
  { name: 'a sibling of a denied call runs', seams: DENY, run: sibling },
]
