/**
 * Another hook denies the same call. Hooks run one after the other, by the names of their files, and the first deny ends it: where the
 * other one comes first, ours is not even asked.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { HOLD, hold, plain } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotHaveRun, mustNotSee, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import type { Stage } from '../stage.ts'
import { touch } from '../tools.ts'

const OTHER = 'OTHER-HOOK: not on a Monday'

/** A hook that answers its first call only. `name` decides whether it comes before ours. */
async function otherHook(stage: Stage, name: 'a-guard' | 'z-guard', answer: object): Promise<void> {
  const once = join(stage.place.root, 'other-hook-was-here')
  const command = `if [ -e '${once}' ]; then exit 0; fi; : > '${once}'; printf '%s' '${JSON.stringify(answer)}'`
  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command, timeout: 10 }] }] }
  await writeFile(join(stage.place.harnessConfig, 'hooks', `${name}.json`), JSON.stringify({ hooks }))
}

const DENY = { decision: 'deny', reason: OTHER }

async function otherFirst(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(...Array.from({ length: 3 }, () => calls(touch('a'))), say('Done.')))
  await otherHook(stage, 'a-guard', DENY)
  await stage.play(['Add a file'])
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), OTHER)
  mustNotSee(nth(stage, 1), HOLD)
  mustBeDenied(stage, 2)
  mustSee(nth(stage, 2), HOLD)
  mustBeAllowed(stage, 3)
  await stage.verdict('owners', 'shown')
  const held = (await stage.outcomes('owners')).filter((outcome) => outcome === 'shown').length
  must(held === 1, 'the call that we were not asked about should not count')
}

async function oursFirst(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(...Array.from({ length: 3 }, () => calls(touch('a'))), say('Done.')))
  await otherHook(stage, 'z-guard', DENY)
  await stage.play(['Add a file'])
  mustSee(nth(stage, 1), HOLD)
  mustNotSee(nth(stage, 1), OTHER)
  mustBeDenied(stage, 2)
  mustSee(nth(stage, 2), OTHER)
  mustBeAllowed(stage, 3)
  await stage.verdict('owners', 'shown')
}

/** Our text is dropped with the other's deny. Once the records have told, it is served again. */
async function textLost(stage: Stage): Promise<void> {
  await stage.place.entry('listing', plain('command: touch', HOLD))
  await stage.begin(inOrder(calls(touch('a')), say('It was refused.'), calls(touch('b')), say('Done.')))
  await otherHook(stage, 'z-guard', DENY)
  const session = await stage.open()
  await session.say('Add a file')
  await stage.verdict('listing', 'hidden')
  await session.say('Add another')
  await session.end()
  mustBeDenied(stage, 1)
  mustNotSee(nth(stage, 1), HOLD)
  mustSee(nth(stage, 3), HOLD)
  mustHaveRun(stage, 'b')
  await stage.verdict('listing', 'shown')
}

/** The other hook is the only one that denies: the call is no failure. */
async function notAFailure(stage: Stage): Promise<void> {
  await stage.place.entry('failed', plain('failed: true', 'FAILED-RULE'))
  await stage.begin(inOrder(calls(touch('a')), say('Done.')))
  await otherHook(stage, 'a-guard', DENY)
  await stage.play(['Add a file'])
  mustBeDenied(stage, 1)
  mustNotHaveRun(stage, 'a')
  mustNotSee(nth(stage, 1), 'FAILED-RULE')
}

/** Two texts of two hooks are two messages. */
async function twoTexts(stage: Stage): Promise<void> {
  await stage.place.entry('listing', plain('command: touch', HOLD))
  await stage.begin(inOrder(calls(touch('a')), say('Done.')))
  await otherHook(stage, 'z-guard', { hookSpecificOutput: { additionalContext: OTHER } })
  await stage.play(['Add a file'])
  mustBeAllowed(stage, 1)
  mustSee(nth(stage, 1), OTHER)
  mustSee(nth(stage, 1), HOLD)
  mustHaveRun(stage, 'a')
  await stage.verdict('listing', 'shown')
}

export const COLLISION_ROWS: readonly Row<Stage>[] = [
  { name: 'G12: another hook denies first, ours is not asked and counts nothing', seams: ['before-tool deny'], run: otherFirst },
  { name: 'G12: ours denies first', seams: ['before-tool deny'], run: oursFirst },
  { name: 'G12: a text beside a call that another hook denies is served again', seams: [], run: textLost },
  { name: 'another hook puts in a text of its own', seams: ['before-tool inject'], run: twoTexts },
  { name: 'M7: a call that another hook denied is no failure', seams: [], run: notAFailure },
]
