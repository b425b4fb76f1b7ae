/**
 * The seams by themselves, without ContextMD: a bare plugin puts a text of the greatest length that the profile allows in each place,
 * and every one must stand whole in what the model is sent.
 *
 * So a new version that changes a limit or a place is told apart from a mistake of ours.
 */
import { join } from 'node:path'
import { opencode } from '../../../src/harness/opencode/profile.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, say, shell, subagent } from '../reply.ts'
import { countOf } from '../request.ts'
import type { Stage } from '../stage.ts'
import { mustNotHaveRun } from './expect.ts'

/** As long as the profile allows, with characters of one, two, three and four bytes. */
function longText(name: string): string {
  const max = opencode.seams.prompt?.inject?.max
  must(max !== undefined && opencode.seams.prompt?.inject?.unit === 'bytes', 'the profile should give the limit in bytes')
  const [head, tail, pattern] = [`SEAM ${name} `, ` END ${name}`, 'aé語🚦']
  const bytes = Buffer.byteLength(pattern)
  const filling = pattern.repeat(Math.floor((max - head.length - tail.length) / bytes))
  return `${head}${filling}${tail}`
}

const TEXTS = { message: longText('message'), result: longText('result'), deny: longText('deny') }

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
  const main = stage.main().at(-1)
  const sub = stage.model.requests().find(({ agent }) => agent !== null)
  must(main !== undefined && sub !== undefined, 'the main agent and a subagent should have asked')
  for (const [name, text] of Object.entries(TEXTS))
    must(countOf(main, text) === 1, `${Buffer.byteLength(text)} bytes as ${name} should have arrived whole`)
  must(countOf(sub, TEXTS.message) === 1, 'the text should have arrived whole in the message to the subagent')
}

export const SEAM_ROWS: readonly Row<Stage>[] = [
  {
    name: 'the seams by themselves, each at its limit',
    seams: ['session-start inject', 'subagent-start inject', 'prompt inject', 'before-tool deny', 'after-tool inject'],
    run: seams,
  },
]
