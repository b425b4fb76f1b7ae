/** An automatic compaction, undo, a second process, and a prompt while the model works. */
import { AT_PROMPT, HOLD, PACK, usual } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustNotSee, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import { allShown, mustBeServedAgain, mustHaveCompacted, mustHoldAllOnce, twice } from '../../kit/rows/epoch.ts'
import { mustBeOneRun } from '../../kit/rows/subagent.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { shell, touch } from '../tools.ts'

/** More than the scripted model's window holds: the program compacts before it goes on. */
const OVER_FULL_TOKENS = 250_000

/** The program goes on by itself after it: the pack stands before its own words. */
async function autoCompaction(stage: Stage): Promise<void> {
  await usual(stage)
  await stage.begin(twice(stage, [{ ...calls(touch('c')), inputTokens: OVER_FULL_TOKENS }]))
  await stage.play(['Add a file'])
  mustHaveCompacted(stage)
  await mustBeServedAgain(stage, 3)
}

/** T11: what is taken back is gone, and its gate is armed again. */
async function undone(stage: Stage): Promise<void> {
  await usual(stage)
  await stage.begin(
    inOrder(say('Hello.'), calls(touch('a')), calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.')),
  )
  const session = await stage.play(['Hello', 'Add a file, then deploy'])
  await stage.verdict('owners', 'shown')
  await session.undo()
  await session.say('Add another')
  mustNotSee(nth(stage, 4), AT_PROMPT)
  mustSee(nth(stage, 4), PACK)
  mustBeDenied(stage, 5)
  mustSee(nth(stage, 5), HOLD)
  mustBeAllowed(stage, 6)
}

/** The session of another process of the program, which tells of no start. */
export async function resumed(stage: Stage): Promise<void> {
  await stage.restart()
  const session = await allShown(stage)
  await stage.restart()
  await stage.play(['Add another, then deploy'], { from: { way: 'resume', session: session.id() } })
  mustHoldAllOnce(stage)
}

/** A prompt while the model still works: it belongs to the run, and what it brings is proven by the next request. */
async function steered(stage: Stage): Promise<void> {
  await usual(stage)
  let steer: Promise<void> | null = null
  await stage.begin(
    inOrder(
      () => {
        steer = session.say('And deploy it')
        return calls(shell('sleep 1; ls'))
      },
      say('Done.'),
      say('Done.'),
    ),
  )
  const session = await stage.open()
  await session.say('Look around')
  await (steer ?? Promise.resolve())
  const last = stage.main().at(-1)
  must(last !== undefined, 'the model should have been asked')
  mustSee(last, AT_PROMPT)
  await stage.verdict('deploy', 'shown')
  await mustBeOneRun(stage)
}

export const EPOCH_ROWS: readonly Row<Stage>[] = [
  { name: 'T8: automatic compaction, pack again and gate armed again', seams: ['session-start inject'], run: autoCompaction },
  { name: 'T11: undo, gate armed again', seams: [], run: undone },
  { name: 'T7: resume in a new process, nothing is served twice', seams: [], run: resumed },
  { name: 'a prompt while the model works', seams: ['prompt inject'], run: steered },
]
