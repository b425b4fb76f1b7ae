/** Compaction, undo, resume and fork: where rules get lost, or are served twice. */
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import { sessionOf } from '../session.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { HOLD, hold } from './hold.ts'

const PACK = 'PACK-RULE: releases are written into the ledger.'
const AT_PROMPT = 'PROMPT-RULE: deployments are announced first.'

/** More than the scripted model's window holds: the program compacts before it goes on. */
const OVER_FULL_TOKENS = 250_000

async function entries(stage: Stage): Promise<void> {
  await stage.place.entry('pack', `---\ntitle: Ledger\nwhen:\n  - session: [start, compact]\n---\n${PACK}\n`)
  await stage.place.entry('deploy', `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n---\n${AT_PROMPT}\n`)
  await stage.place.entry('owners', hold(HOLD))
}

/** After the compaction: the pack again, the gate armed again. `first` is the number of the first request after it. */
function mustBeServedAgain(stage: Stage, first: number): void {
  mustSee(nth(stage, first), PACK)
  mustNotSee(nth(stage, first), HOLD)
  mustBeDenied(nth(stage, first + 1))
  mustSee(nth(stage, first + 1), HOLD)
  mustBeAllowed(nth(stage, first + 2))
}

async function manualCompaction(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.')))
  const session = await stage.play(['Add a file'])
  await session.compact()
  await session.say('Add another')
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 2))
  mustBeServedAgain(stage, 3)
  await stage.verdict('owners', 'shown')
  await stage.verdict('pack', 'shown')
}

/** The program goes on by itself after it: the pack stands before its own words. */
async function autoCompaction(stage: Stage): Promise<void> {
  await entries(stage)
  const full = { ...calls(touch('c')), inputTokens: OVER_FULL_TOKENS }
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), full, calls(touch('b')), calls(touch('b')), say('Done.')))
  await stage.play(['Add a file'])
  must(
    stage.model.requests().some(({ purpose }) => purpose === 'summary'),
    'the program should have compacted by itself',
  )
  mustBeServedAgain(stage, 3)
  await stage.verdict('owners', 'shown')
  await stage.verdict('pack', 'shown')
}

/** T11: what is taken back is gone, and its gate is armed again. */
async function undone(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(
    inOrder(say('Hello.'), calls(touch('a')), calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.')),
  )
  const session = await stage.play(['Hello', 'Add a file, then deploy'])
  await stage.verdict('owners', 'shown')
  await session.undo()
  await session.say('Add another')
  mustNotSee(nth(stage, 4), AT_PROMPT)
  mustSee(nth(stage, 4), PACK)
  mustBeDenied(nth(stage, 5))
  mustSee(nth(stage, 5), HOLD)
  mustBeAllowed(nth(stage, 6))
}

/** A first session with all three entries shown, and the second prompt's script. */
async function allShown(stage: Stage) {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  const session = await stage.play(['Add a file, then deploy'])
  await stage.verdict('owners', 'shown')
  await stage.verdict('deploy', 'shown')
  stage.model.script(inOrder(calls(touch('b')), say('Done.')))
  return session
}

function mustHoldAllOnce(stage: Stage): void {
  for (const index of [0, 1]) for (const text of [PACK, AT_PROMPT, HOLD]) mustSee(nth(stage, index), text)
  mustBeAllowed(nth(stage, 1))
  mustHaveRun(stage, 'b')
}

async function forked(stage: Stage): Promise<void> {
  const session = await allShown(stage)
  const fork = await session.fork()
  await fork.say('Add another, then deploy')
  mustHoldAllOnce(stage)
}

/** The session of another process of the program, which tells of no start. */
async function resumed(stage: Stage): Promise<void> {
  await stage.restart()
  const { id } = await allShown(stage)
  const program = await stage.restart()
  await sessionOf(program, stage.place.project, id).say('Add another, then deploy')
  mustHoldAllOnce(stage)
}

/** A prompt while the model still works: it belongs to the run, and what it brings is proven by the next request. */
async function steered(stage: Stage): Promise<void> {
  await entries(stage)
  let steer: Promise<void> | null = null
  await stage.begin(
    inOrder(
      () => {
        steer = session.say('And deploy it')
        return calls({ type: 'call', tool: 'bash', input: { command: 'sleep 1; ls', description: 'scripted' } })
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
  const runs = new Set((await stage.server().log()).flatMap((row) => (row.kind === 'prompt' ? [row.run] : [])))
  must(runs.size === 1, `both prompts should belong to one run; they belong to ${runs.size}`)
}

export const EPOCH_ROWS: readonly Row<Stage>[] = [
  { name: 'T8, X5: manual compaction, pack again and gate armed again', seams: ['prompt inject'], run: manualCompaction },
  { name: 'T8: automatic compaction, pack again and gate armed again', seams: ['session-start inject'], run: autoCompaction },
  { name: 'T11: undo, gate armed again', seams: [], run: undone },
  { name: 'T7: fork, nothing is served twice', seams: [], run: forked },
  { name: 'T7: resume in a new process, nothing is served twice', seams: [], run: resumed },
  { name: 'a prompt while the model works', seams: ['prompt inject'], run: steered },
]
