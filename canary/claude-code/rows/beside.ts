/** Text beside a moment: at the session's start, at a prompt, beside and after a call. */
import { join } from 'node:path'
import { must } from '../../row.ts'
import type { Row, SeamName } from '../../row.ts'
import { calls, say, shell } from '../reply.ts'
import { inOrder } from '../model.ts'
import { OLD_PLACEMENT_MODEL } from '../session.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustNotSee, mustSee, nth } from './expect.ts'

const PACK = 'PACK-RULE: this project keeps its releases in a ledger.'
const AT_PROMPT = 'PROMPT-RULE: deployments are announced in the channel first.'
const BESIDE = 'BESIDE-RULE: keep generated files out of listings.'
const AFTER = 'AFTER-RULE: this warning is known, open no ticket.'
const FAILED = 'FAILURE-RULE: a missing folder is made by the bootstrap script.'

async function packAtStart(stage: Stage, model?: string): Promise<void> {
  await stage.place.entry('pack', `---\ntitle: Ledger\nwhen:\n  - session: start\n---\n${PACK}\n`)
  await stage.begin(inOrder(say('Hello.')))
  await stage.play(['Hello'], model === undefined ? {} : { model })
  mustSee(nth(stage, 0), PACK)
  await stage.verdict('pack', 'shown')
}

async function ruleAtPrompt(stage: Stage, model?: string): Promise<void> {
  await stage.place.entry('deploy', `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n---\n${AT_PROMPT}\n`)
  await stage.begin(inOrder(say('Fine.'), say('Fine.')))
  await stage.play(['Tell me a story', 'Now deploy it, please'], model === undefined ? {} : { model })
  mustNotSee(nth(stage, 0), AT_PROMPT)
  mustSee(nth(stage, 1), AT_PROMPT)
  await stage.verdict('deploy', 'shown')
}

async function ruleBesideTool(stage: Stage, model?: string): Promise<void> {
  await stage.place.entry('listing', `---\ntitle: Listings\nwhen:\n  - command: ls\n---\n${BESIDE}\n`)
  await stage.begin(inOrder(calls(shell('ls')), calls(shell('ls -a')), say('Done.')))
  await stage.play(['List the files'], model === undefined ? {} : { model })
  mustNotSee(nth(stage, 0), BESIDE)
  mustSee(nth(stage, 1), BESIDE)
  mustBeAllowed(nth(stage, 1))
  // Known by now: not served a second time.
  mustSee(nth(stage, 2), BESIDE)
  await stage.verdict('listing', 'shown')
}

/** One shell call, whose result a rule is about. */
async function ruleAfter(stage: Stage, trigger: string, text: string, command: string): Promise<void> {
  await stage.place.entry('after', `---\ntitle: After\nwhen:\n${trigger}---\n${text}\n`)
  await stage.begin(inOrder(calls(shell('echo all is well')), calls(shell(command)), say('Done.')))
  await stage.play(['Go'])
  mustNotSee(nth(stage, 1), text)
  mustSee(nth(stage, 2), text)
  await stage.verdict('after', 'shown')
}

/** X6: what CLAUDE.md brings along is known, and not served again. */
async function loadedByHarness(stage: Stage): Promise<void> {
  const file = await stage.place.entry('deploy', `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n---\n${AT_PROMPT}\n`)
  await stage.place.write(join(stage.place.project, 'CLAUDE.md'), `# Project\n\n@${file}\n`)
  await stage.begin(inOrder(say('Fine.')))
  await stage.play(['Now deploy it, please'])
  mustSee(nth(stage, 0), AT_PROMPT)
  must((await stage.outcomes('deploy')).join() === 'known', `the entry should be known; it is ${(await stage.outcomes('deploy')).join()}`)
}

const row = (name: string, seams: readonly SeamName[], run: Row<Stage>['run']): Row<Stage> => ({ name, seams, run })

export const BESIDE_ROWS: readonly Row<Stage>[] = [
  row('pack at session start', ['session-start inject'], (stage) => packAtStart(stage)),
  row('rule at a prompt', ['prompt inject'], (stage) => ruleAtPrompt(stage)),
  row('rule beside a tool', ['before-tool inject'], (stage) => ruleBesideTool(stage)),
  row('rule after a tool (output)', ['after-tool inject'], (stage) =>
    ruleAfter(stage, '  - output: deprecated gadget\n', AFTER, 'echo "warning: deprecated gadget"'),
  ),
  row('rule after a failure', ['after-tool inject'], (stage) => ruleAfter(stage, '  - failed: true\n', FAILED, 'ls missing-folder')),
  row('M8: rule after a failure masked by a printed exit', ['after-tool inject'], (stage) =>
    ruleAfter(stage, '  - failed: true\n', FAILED, 'ls missing-folder; echo "exit=$?"'),
  ),
  row('X6: what the program loads itself is not served again', [], loadedByHarness),
  row('old placement: pack at session start', ['session-start inject'], (stage) => packAtStart(stage, OLD_PLACEMENT_MODEL)),
  row('old placement: rule at a prompt', ['prompt inject'], (stage) => ruleAtPrompt(stage, OLD_PLACEMENT_MODEL)),
  row('old placement: rule beside a tool', ['before-tool inject'], (stage) => ruleBesideTool(stage, OLD_PLACEMENT_MODEL)),
]
