/** Calls of one reply: none of them proves or frees another, and the text is sent once. */
import { join } from 'node:path'
import { must } from '../../row.ts'
import { guided, HOLD, hold } from '../entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotHaveRun, mustSee, nth, touch } from '../expect.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import { freshResults } from '../request.ts'
import type { Stage } from '../stage.ts'
import { inShell } from './hold.ts'

export async function parallelWave(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  const wave = calls(...['a', 'b', 'c', 'd'].map((name) => touch(stage, name)))
  await stage.begin(inOrder(wave, wave, say('Done.')))
  await stage.play(['Add files'])
  mustBeDenied(stage, 1, 4)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2, 4)
  mustHaveRun(stage, 'a', 'b', 'c', 'd')
  await stage.verdict('owners', 'shown')
}

/** Calls that read are open all at once in many programs, unlike calls that write. */
export async function openAtOnce(stage: Stage): Promise<void> {
  await stage.place.entry('plans', `---\ntitle: Plans\nmust-know: true\nwhen:\n  - path: plans/**\n---\n${HOLD}\n`)
  const read = stage.rig.tools.read ?? inShell(stage)
  const names = Array.from({ length: 8 }, (_, index) => join(stage.place.project, 'plans', `plan-${index}.txt`))
  for (const name of names) await stage.place.write(name, `Plan of ${name}\n`)
  const wave = calls(...names.map(read))
  await stage.begin(inOrder(wave, wave, say('Done.')))
  await stage.play(['Read the plans'])
  mustBeDenied(stage, 1, names.length)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2, names.length)
  await stage.verdict('plans', 'shown')
}

/** Of one reply only the calls that a rule is about are held. */
export async function siblings(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  const { shell } = stage.rig.tools
  await stage.begin(inOrder(calls(shell('mkdir x'), touch(stage, 'a'), shell('mkdir y')), calls(touch(stage, 'a')), say('Done.')))
  await stage.play(['Add files'])
  mustHaveDeniedOne(stage, 1)
  mustHaveRun(stage, 'x', 'y')
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2)
  mustHaveRun(stage, 'a')
}

/** The model has read nothing when the second call is made, although the result of the first may be there. */
export async function readingAndGated(stage: Stage): Promise<void> {
  const guide = await guided(stage)
  // A shell call that writes: programs run such calls one after the other, so that the result of the first may be there before the second.
  const reading = stage.rig.tools.shell(`cat ${guide} | tee copy.txt && cat ${guide}`)
  await stage.begin(inOrder(calls(reading, touch(stage, 'a')), calls(touch(stage, 'b')), say('Done.')))
  await stage.play(['Add a file'])
  mustNotHaveRun(stage, 'a')
  mustHaveDeniedOne(stage, 1)
  mustBeAllowed(stage, 2)
  mustHaveRun(stage, 'b')
}

/** Exactly one of the calls of that reply was denied. */
function mustHaveDeniedOne(stage: Stage, index: number): void {
  const denied = freshResults(nth(stage, index)).filter((result) => stage.rig.isDenied(result))
  must(denied.length === 1, `one call of the reply should have been denied; it was ${denied.length}`)
}
