/** The seams by themselves, without ContextMD: a bare plugin puts a text of the greatest length that the profile allows in each place. */
import { join } from 'node:path'
import { opencode } from '../../../src/harness/opencode/profile.ts'
import { filled, sizes } from '../../kit/bare-hook.ts'
import { mustNotHaveRun } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import { countOf } from '../../kit/request.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { shell, subagent } from '../tools.ts'

const MAX = opencode.denyReason ?? { unit: 'bytes', max: 0 }
const TEXTS = { message: filled('message', MAX), result: filled('result', MAX), deny: filled('deny', MAX) }

const PLUGIN = `
const texts = ${JSON.stringify(TEXTS)}
export default { id: 'bare', server: async () => ({
  'chat.message': async (input, { message, parts }) => {
    const id = parts.at(-1).id.slice(0, 16) + 'zzzzzzzzzzzzzz'
    parts.push({ id, sessionID: input.sessionID, messageID: message.id, type: 'text', text: texts.message, synthetic: true })
  },
  'tool.execute.before': async (input, { args }) => { if (args.command === 'touch denied') throw new Error(texts.deny) },
  'tool.execute.after': async (input, output) => { if (input.tool === 'bash') output.output += '\\n' + texts.result },
}) }
`

async function seams(stage: Stage): Promise<void> {
  await stage.place.write(join(stage.place.project, 'bare.js'), PLUGIN)
  await stage.place.write(join(stage.place.project, 'opencode.json'), JSON.stringify({ plugin: ['./bare.js'] }))
  stage.model.script(inOrder(calls(shell('echo well'), shell('touch denied')), calls(subagent('Help')), say('Done.')))
  await stage.play(['Go'])
  mustNotHaveRun(stage, 'denied')
  const [sub] = stage.subagents()
  const main = stage.main().at(-1)
  must(main !== undefined && sub !== undefined, 'the main agent and a subagent should have asked')
  for (const [name, text] of Object.entries(TEXTS)) must(countOf(main, text) === 1, `${sizes(text)} as ${name} should have arrived whole`)
  must(countOf(sub, TEXTS.message) === 1, 'the text should have arrived whole in the message to the subagent')
}

export const SEAM_ROWS: readonly Row<Stage>[] = [
  {
    name: 'the seams by themselves, each at its limit',
    seams: ['session-start inject', 'subagent-start inject', 'prompt inject', 'before-tool deny', 'after-tool inject'],
    run: seams,
  },
]
