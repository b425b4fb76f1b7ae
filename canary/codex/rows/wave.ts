/** Calls of one reply: none of them proves or frees another, and the text is sent once. */
import type { Row, SeamName } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, say, shell } from '../reply.ts'
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

/** The model has read nothing when the second call is made, although the result of the first is there. */
async function readingAndGated(stage: Stage): Promise<void> {
  const guide = (await stage.place.entry('guide', pointer())).replace(/guide\.md$/, 'guide.txt')
  await stage.place.write(guide, GUIDE)
  const wave = calls(shell(`cat ${guide} | tee copy.txt && cat ${guide}`), touch('a'))
  await stage.begin(inOrder(wave, calls(touch('b')), say('Done.')))
  await stage.play(['Add a file'])
  mustNotHaveRun(stage, 'a')
  mustSee(nth(stage, 1), 'blocked by PreToolUse hook')
  mustBeAllowed(nth(stage, 2))
  mustHaveRun(stage, 'b')
}

/** Of one reply only the calls that a rule is about are held. */
async function siblings(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(calls(shell('mkdir x'), touch('a'), shell('mkdir y')), calls(touch('a')), say('Done.')))
  await stage.play(['Add files'])
  mustHaveRun(stage, 'x', 'y')
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(nth(stage, 2))
  mustHaveRun(stage, 'a')
}

const DENY: readonly SeamName[] = ['before-tool deny', 'before-tool inject']

export const WAVE_ROWS: readonly Row<Stage>[] = [
  { name: 'G20: a parallel wave', seams: DENY, run: parallelWave },
  { name: 'one call of a wave is held, its siblings run', seams: DENY, run: siblings },
  { name: 'G19: a reading and a gated call in one reply', seams: DENY, run: readingAndGated },
]
