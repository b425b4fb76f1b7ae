/** Text beside a moment: what has no seam of its own is carried to the first call of the turn, or to the stop. */
import type { Row, SeamName } from '../../row.ts'
import { must } from '../../row.ts'
import { calls, say, shell } from '../reply.ts'
import { inOrder } from '../model.ts'
import type { SessionOptions } from '../session.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustNotSee, mustSee, nth } from './expect.ts'

const PACK = 'PACK-RULE: this project keeps its releases in a ledger.'
const AT_PROMPT = 'PROMPT-RULE: deployments are announced in the channel first.'
const BESIDE = 'BESIDE-RULE: keep generated files out of listings.'
const AFTER = 'AFTER-RULE: this warning is known, open no ticket.'
const FAILED = 'FAILURE-RULE: a missing folder is made by the bootstrap script.'

const deploy = (more = ''): string => `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n${more}---\n${AT_PROMPT}\n`

async function packAtFirstCall(stage: Stage, options: Partial<SessionOptions> = {}): Promise<void> {
  await stage.place.entry('pack', `---\ntitle: Ledger\nwhen:\n  - session: start\n---\n${PACK}\n`)
  await stage.begin(inOrder(calls(shell('echo one')), calls(shell('echo two')), say('Hello.')))
  await stage.play(['Hello'], options)
  mustNotSee(nth(stage, 0), PACK)
  mustSee(nth(stage, 1), PACK)
  mustSee(nth(stage, 2), PACK)
  await stage.verdict('pack', 'shown')
}

async function promptAtFirstCall(stage: Stage): Promise<void> {
  await stage.place.entry('deploy', deploy())
  await stage.begin(inOrder(calls(shell('echo one')), say('Fine.'), calls(shell('echo two')), say('Fine.')))
  await stage.play(['Tell me a story', 'Now deploy it, please'])
  mustNotSee(nth(stage, 2), AT_PROMPT)
  mustSee(nth(stage, 3), AT_PROMPT)
  await stage.verdict('deploy', 'shown')
}

/** No call in the turn: the entry says that it is worth a model round. */
async function promptAtStop(stage: Stage): Promise<void> {
  await stage.place.entry('deploy', deploy('carry: stop\n'))
  await stage.begin(inOrder(say('Deployed.'), say('Announced, too.'), say('More?')))
  await stage.play(['Now deploy it, please'])
  mustNotSee(nth(stage, 0), AT_PROMPT)
  mustSee(nth(stage, 1), AT_PROMPT)
  must(stage.main().length === 2, `the turn should have gone on once; the model was asked ${stage.main().length} times`)
  await stage.verdict('deploy', 'shown')
}

/** Without that word it costs nothing, and ends with the run. */
async function promptWithoutCall(stage: Stage): Promise<void> {
  await stage.place.entry('deploy', deploy())
  await stage.begin(inOrder(say('Deployed.'), calls(shell('echo one')), say('Fine.')))
  await stage.play(['Now deploy it, please', 'Something else'])
  must(stage.main().length === 3, `no turn should have gone on; the model was asked ${stage.main().length} times`)
  mustNotSee(nth(stage, 2), AT_PROMPT)
}

async function ruleBesideTool(stage: Stage, options: Partial<SessionOptions> = {}): Promise<void> {
  await stage.place.entry('listing', `---\ntitle: Listings\nwhen:\n  - command: ls\n---\n${BESIDE}\n`)
  await stage.begin(inOrder(calls(shell('ls')), calls(shell('ls -a')), say('Done.')))
  await stage.play(['List the files'], options)
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

const row = (name: string, seams: readonly SeamName[], run: Row<Stage>['run']): Row<Stage> => ({ name, seams, run })

export const BESIDE_ROWS: readonly Row<Stage>[] = [
  row('pack, carried to the first call', ['before-tool inject'], (stage) => packAtFirstCall(stage)),
  row('rule at a prompt, carried to the first call', ['before-tool inject'], promptAtFirstCall),
  row('rule at a prompt, carried to the stop', ['stop inject'], promptAtStop),
  row('rule at a prompt, no call and no wish for a round', [], promptWithoutCall),
  row('rule beside a tool', ['before-tool inject'], (stage) => ruleBesideTool(stage)),
  row('rule after a tool (output)', ['after-tool inject'], (stage) =>
    ruleAfter(stage, '  - output: deprecated gadget\n', AFTER, 'echo "warning: deprecated gadget"'),
  ),
  row('rule after a failure', ['after-tool inject'], (stage) => ruleAfter(stage, '  - failed: true\n', FAILED, 'ls missing-folder')),
  row('M8: rule after a failure masked by a printed exit', ['after-tool inject'], (stage) =>
    ruleAfter(stage, '  - failed: true\n', FAILED, 'ls missing-folder; echo "exit=$?"'),
  ),
  row('ACP: pack, carried to the first call', ['before-tool inject'], (stage) => packAtFirstCall(stage, { way: 'acp' })),
  row('ACP: rule beside a tool', ['before-tool inject'], (stage) => ruleBesideTool(stage, { way: 'acp' })),
]
