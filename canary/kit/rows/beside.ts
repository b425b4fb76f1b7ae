/** Text beside a moment: at the session's start, at a prompt, beside and after a call. */
import { mustBeAllowed, mustNotSee, mustSee, nth } from '../expect.ts'
import { AT_PROMPT, PACK, plain } from '../entries.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import { takesTextAtOnce } from '../stage.ts'
import type { Stage } from '../stage.ts'

const BESIDE = 'BESIDE-RULE: keep generated files out of listings.'
const AFTER = 'AFTER-RULE: this warning is known, open no ticket.'
const FAILED = 'FAILURE-RULE: a missing folder is made by the bootstrap script.'

/** Whether a text of a start or a prompt stands in the first request after it, or only in the one after the first call. */
export function mustSeeFrom(stage: Stage, first: number, text: string): void {
  const isAtOnce = takesTextAtOnce(stage)
  if (!isAtOnce) mustNotSee(nth(stage, first), text)
  mustSee(nth(stage, isAtOnce ? first : first + 1), text)
}

export async function packAtStart(stage: Stage, options: object = {}): Promise<void> {
  await stage.place.entry('pack', plain('session: start', PACK))
  await stage.begin(inOrder(calls(stage.rig.tools.shell('echo one')), calls(stage.rig.tools.shell('echo two')), say('Hello.')))
  await stage.play(['Hello'], options)
  mustSeeFrom(stage, 0, PACK)
  // Known by now: not served a second time.
  mustSee(nth(stage, 2), PACK)
  await stage.verdict('pack', 'shown')
}

export async function ruleAtPrompt(stage: Stage, options: object = {}): Promise<void> {
  await stage.place.entry('deploy', plain('prompt: deploy', AT_PROMPT))
  const call = calls(stage.rig.tools.shell('echo one'))
  await stage.begin(inOrder(call, say('Fine.'), call, say('Fine.')))
  await stage.play(['Tell me a story', 'Now deploy it, please'], options)
  mustNotSee(nth(stage, 1), AT_PROMPT)
  mustSeeFrom(stage, 2, AT_PROMPT)
  await stage.verdict('deploy', 'shown')
}

/** In no harness does it reach the model before the call runs: it comes with the result. */
export async function ruleBesideTool(stage: Stage, options: object = {}): Promise<void> {
  const { shell } = stage.rig.tools
  await stage.place.entry('listing', plain('command: ls', BESIDE))
  await stage.begin(inOrder(calls(shell('ls')), calls(shell('ls -a')), say('Done.')))
  await stage.play(['List the files'], options)
  mustNotSee(nth(stage, 0), BESIDE)
  mustSee(nth(stage, 1), BESIDE)
  mustBeAllowed(stage, 1)
  mustSee(nth(stage, 2), BESIDE)
  await stage.verdict('listing', 'shown')
}

/** One shell call, whose result a rule is about. */
async function ruleAfter(stage: Stage, key: string, text: string, command: string): Promise<void> {
  const { shell } = stage.rig.tools
  await stage.place.entry('after', plain(key, text))
  await stage.begin(inOrder(calls(shell('echo all is well')), calls(shell(command)), say('Done.')))
  await stage.play(['Go'])
  mustNotSee(nth(stage, 1), text)
  mustSee(nth(stage, 2), text)
  await stage.verdict('after', 'shown')
}

export const ruleAfterOutput = (stage: Stage): Promise<void> =>
  ruleAfter(stage, 'output: deprecated gadget', AFTER, 'echo "warning: deprecated gadget"')

export const ruleAfterFailure = (stage: Stage): Promise<void> => ruleAfter(stage, 'failed: true', FAILED, 'ls missing-folder')

export const ruleAfterMaskedFailure = (stage: Stage): Promise<void> =>
  ruleAfter(stage, 'failed: true', FAILED, 'ls missing-folder; echo "exit=$?"')
