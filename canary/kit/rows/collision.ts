/** Another hook denies the same call, and its reason is the one that reaches the model. */
import { join } from 'node:path'
import { must } from '../../row.ts'
import { HOLD, hold, plain } from '../entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotHaveRun, mustNotSee, mustSee, nth, touch } from '../expect.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import type { Stage, StageOptions } from '../stage.ts'

const OTHER = 'OTHER-HOOK: not on a Monday'

/** A shell script that denies the first call that it is asked about, and no other. `wait`: commands before it answers. */
export function denyOnce(stage: Stage, wait = ''): string {
  const answer = JSON.stringify({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: OTHER },
  })
  const once = join(stage.place.root, 'other-hook-was-here')
  return `if [ -e '${once}' ]; then exit 0; fi; : > '${once}'; ${wait}printf '%s' '${answer}'`
}

/** How the session is played, with the other hook in it. */
type Play = (stage: Stage, prompt: string) => Promise<unknown>

async function begin(stage: Stage, play: Play, tries: number, options?: StageOptions): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(...Array.from({ length: tries }, () => calls(touch(stage, 'a'))), say('Done.')), options)
  await play(stage, 'Add a file')
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), OTHER)
}

export async function textBeside(stage: Stage, play: Play): Promise<void> {
  await begin(stage, play, 2)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2)
  mustHaveRun(stage, 'a')
  await stage.verdict('owners', 'shown')
}

export async function textInReason(stage: Stage, play: Play): Promise<void> {
  await begin(stage, play, 3, { serverEnv: { CONTEXTMD_TEST_DENY_TEXT: 'reason' } })
  mustNotSee(nth(stage, 1), HOLD)
  mustBeDenied(stage, 2)
  mustSee(nth(stage, 2), HOLD)
  mustBeAllowed(stage, 3)
  await stage.verdict('owners', 'shown')
  must((await stage.outcomes('owners')).includes('hidden'), 'the first claim should be judged hidden')
}

/** The other hook is the only one that denies: ours has nothing to say, and the call is no failure. */
export async function notAFailure(stage: Stage, play: Play): Promise<void> {
  await stage.place.entry('failed', plain('failed: true', 'FAILED-RULE'))
  await stage.begin(inOrder(calls(touch(stage, 'a')), say('Done.')))
  await play(stage, 'Add a file')
  mustBeDenied(stage, 1)
  mustNotHaveRun(stage, 'a')
  mustNotSee(nth(stage, 1), 'FAILED-RULE')
}
