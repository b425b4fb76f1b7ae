/** Code mode: the model writes scripts, in which the tools are functions. */
import { guided, HOLD, hold, plain } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotHaveRun, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import type { Row, SeamName } from '../../row.ts'
import { CODE_MODEL } from '../session.ts'
import type { Stage } from '../stage.ts'
import { script } from '../tools.ts'

const BESIDE = 'BESIDE-RULE: keep generated files out of listings.'
const FAILED = 'FAILURE-RULE: a missing folder is made by the bootstrap script.'

async function inScript(stage: Stage): Promise<void> {
  await stage.place.entry('listing', plain('command: ls', BESIDE))
  await stage.place.entry('after', plain('failed: true', FAILED))
  const code = 'const r = await tools.exec_command({cmd: "ls; ls missing-folder"}); text(r.output)'
  await stage.begin(inOrder(calls(script(code)), say('Done.')))
  await stage.play(['List the files'], { model: CODE_MODEL })
  mustSee(nth(stage, 1), BESIDE)
  mustSee(nth(stage, 1), FAILED)
  await stage.verdict('listing', 'shown')
  await stage.verdict('after', 'shown')
}

/** G15: of a deny that the script catches the model sees nothing but the text beside it. */
async function swallowed(stage: Stage): Promise<void> {
  await stage.place.entry('owners', hold(HOLD))
  const code = (name: string) => `try { await tools.exec_command({cmd: "touch ${name}"}); } catch {} text("tried ${name}")`
  await stage.begin(inOrder(calls(script(code('a'))), calls(script(code('b'))), say('Done.')))
  await stage.play(['Add files'], { model: CODE_MODEL })
  mustSee(nth(stage, 1), HOLD)
  mustNotHaveRun(stage, 'a')
  mustHaveRun(stage, 'b')
  await stage.verdict('owners', 'shown')
}

async function readInScript(stage: Stage): Promise<void> {
  const guide = await guided(stage)
  const run = (command: string) => calls(script(`const r = await tools.exec_command({cmd: ${JSON.stringify(command)}}); text(r.output)`))
  await stage.begin(inOrder(run('touch a'), run(`cat ${guide}`), run('touch a'), say('Done.')))
  await stage.play(['Add a file'], { model: CODE_MODEL })
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 2), 'GUIDE-LINE')
  mustBeAllowed(stage, 3)
  mustHaveRun(stage, 'a')
}

const DENY: readonly SeamName[] = ['before-tool deny', 'before-tool inject']

export const CODE_MODE_ROWS: readonly Row<Stage>[] = [
  { name: 'code mode: rules beside and after a call in a script', seams: ['before-tool inject', 'after-tool inject'], run: inScript },
  { name: 'G15: code mode: the script swallows the deny, the rule arrives all the same', seams: DENY, run: swallowed },
  { name: 'code mode: pointer hold, read in a script, then allowed', seams: DENY, run: readInScript },
]
