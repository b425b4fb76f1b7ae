/** Another hook denies the same call: of two reasons only the one of the hook that is configured first reaches the model. */
import { join } from 'node:path'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import type { Stage, StageOptions } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { HOLD, hold } from './hold.ts'

const OTHER = 'OTHER-HOOK: not on a Monday'

/** Denies the first call only. Codex takes the reason of the hook that is configured first, not of the one that comes last. */
async function otherHook(stage: Stage): Promise<void> {
  const answer = JSON.stringify({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: OTHER },
  })
  const once = join(stage.place.root, 'other-hook-was-here')
  const script = `if [ -e '${once}' ]; then exit 0; fi; : > '${once}'; printf '%s' '${answer}'`
  const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: script, timeout: 10 }] }] }
  await stage.place.write(join(stage.place.harnessConfig, 'hooks.json'), JSON.stringify({ hooks }, null, 2))
}

/** The other hook was there before setup, and stays trusted or not as it was: here it runs without being asked for. */
const TRUSTED = { settings: { bypass_hook_trust: true } }

async function begin(stage: Stage, tries: number, options?: StageOptions): Promise<void> {
  await otherHook(stage)
  await stage.place.entry('owners', hold(HOLD))
  await stage.begin(inOrder(...Array.from({ length: tries }, () => calls(touch('a'))), say('Done.')), options)
  await stage.play(['Add a file'], TRUSTED)
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 1), OTHER)
}

async function textBeside(stage: Stage): Promise<void> {
  await begin(stage, 2)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(nth(stage, 2))
  mustHaveRun(stage, 'a')
  await stage.verdict('owners', 'shown')
}

async function textInReason(stage: Stage): Promise<void> {
  await begin(stage, 3, { serverEnv: { CONTEXTMD_TEST_DENY_TEXT: 'reason' } })
  mustNotSee(nth(stage, 1), HOLD)
  mustBeDenied(nth(stage, 2))
  mustSee(nth(stage, 2), HOLD)
  mustBeAllowed(nth(stage, 3))
  await stage.verdict('owners', 'shown')
  must((await stage.outcomes('owners')).includes('hidden'), 'the first claim should be judged hidden')
}

/** The other hook is the only one that denies: ours has nothing to say, and the call is no failure. */
async function notAFailure(stage: Stage): Promise<void> {
  await otherHook(stage)
  await stage.place.entry('failed', '---\ntitle: Failed\nwhen:\n  - failed: true\n---\nFAILED-RULE\n')
  await stage.begin(inOrder(calls(touch('a')), say('Done.')))
  await stage.play(['Add a file'], TRUSTED)
  mustBeDenied(nth(stage, 1))
  mustNotHaveRun(stage, 'a')
  mustNotSee(nth(stage, 1), 'FAILED-RULE')
}

export const COLLISION_ROWS: readonly Row<Stage>[] = [
  { name: 'G12: another hook denies the same call, our text arrives', seams: ['before-tool deny', 'before-tool inject'], run: textBeside },
  { name: 'G12: text in the reason, another deny wins', seams: ['before-tool deny'], run: textInReason },
  { name: 'M7: a call that another hook denied is no failure', seams: [], run: notAFailure },
]
