/** Places of texts that only OpenCode has: the person's message, a result of an MCP tool, a tool that failed by itself, an attached file. */
import { join } from 'node:path'
import { AT_PROMPT, HOLD, PACK, plain } from '../../kit/entries.ts'
import { mustNotSee, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { call, calls, say } from '../../kit/reply.ts'
import { must } from '../../row.ts'
import type { Row, SeamName } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { read, shell } from '../tools.ts'

const AFTER = 'AFTER-RULE: sums are checked by hand.'
const FAILED = 'FAILURE-RULE: a missing file is made by the bootstrap script.'

async function inOneMessage(stage: Stage): Promise<void> {
  await stage.place.entry('pack', plain('session: start', PACK))
  await stage.place.entry('deploy', plain('prompt: deploy', AT_PROMPT))
  await stage.begin(inOrder(say('Fine.')))
  await stage.play(['Now deploy it, please'])
  const text = nth(stage, 0)
    .fresh.filter(({ role }) => role === 'user')
    .map((part) => part.text)
    .join('\n')
  const order = ['Now deploy it', PACK, AT_PROMPT].map((part) => text.indexOf(part))
  must(
    order.every((at, index) => at >= 0 && at >= (order[index - 1] ?? 0)),
    `what the person typed should stand first, then the pack, then the rule; they stand at ${order.join(', ')}`,
  )
}

/** A tool that fails calls no hook: the bus tells of it, and the text comes with the next result. */
async function ruleAfterFailedTool(stage: Stage): Promise<void> {
  await stage.place.entry('after', plain('failed: true', FAILED))
  await stage.begin(inOrder(calls(read(join(stage.place.project, 'missing.txt'))), calls(shell('ls')), say('Done.')))
  await stage.play(['Go'])
  mustNotSee(nth(stage, 1), FAILED)
  mustSee(nth(stage, 2), FAILED)
  await stage.verdict('after', 'shown')
}

const MCP_SERVER = `
const lines = require('readline').createInterface({ input: process.stdin })
const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
lines.on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const info = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'lab', version: '1' } }
  if (method === 'initialize') say(id, info)
  else if (method === 'tools/list') say(id, { tools: [{ name: 'add', description: 'adds', inputSchema: { type: 'object', properties: {} } }] })
  else if (method === 'tools/call') say(id, { content: [{ type: 'text', text: 'SUM-5' }] })
  else if (id !== undefined) say(id, {})
})
`

/** The result of an MCP tool has another form, and its name does not tell its server. */
async function mcpTool(stage: Stage): Promise<void> {
  const script = await stage.place.write(join(stage.place.root, 'mcp.cjs'), MCP_SERVER)
  const settings = { mcp: { lab: { type: 'local', command: [process.execPath, script], enabled: true } } }
  await stage.place.write(join(stage.place.project, 'opencode.json'), JSON.stringify(settings))
  await stage.place.entry('sums', plain('tool: mcp:lab/add', AFTER, 'output: SUM'))
  await stage.begin(inOrder(calls(call('lab_add', {})), say('Done.')))
  await stage.play(['Add'])
  mustSee(nth(stage, 1), 'SUM-5')
  mustSee(nth(stage, 1), AFTER)
  await stage.verdict('sums', 'shown')
}

/** X6: what the program loads by itself, in its instructions, is known. It tells of it with the first request only. */
async function loadedByHarness(stage: Stage): Promise<void> {
  const file = await stage.place.entry('deploy', plain('prompt: deploy', AT_PROMPT))
  await stage.place.write(join(stage.place.project, 'opencode.json'), JSON.stringify({ instructions: [file] }))
  await stage.begin(inOrder(say('Fine.'), say('Fine.')))
  await stage.play(['Tell me a story', 'Now deploy it, please'])
  mustSee(nth(stage, 1), AT_PROMPT)
  must((await stage.outcomes('deploy')).join() === 'known', `the entry should be known; it is ${(await stage.outcomes('deploy')).join()}`)
}

/** A file in a person's message is read without a call: its rule comes with the message. */
async function attached(stage: Stage): Promise<void> {
  await stage.place.entry('plans', `---\ntitle: Plans\nmust-know: true\nwhen:\n  - path: plans/**\n    access: read\n---\n${HOLD}\n`)
  const file = await stage.place.write(`${stage.place.project}/plans/a.txt`, 'PLAN-LINE\n')
  await stage.begin(inOrder(say('Fine.')))
  const session = await stage.open()
  const part = { type: 'file', mime: 'text/plain', filename: 'plans/a.txt', url: `file://${file}` }
  await session.post([{ type: 'text', text: 'Look at @plans/a.txt' }, part])
  mustSee(nth(stage, 0), 'PLAN-LINE')
  mustSee(nth(stage, 0), HOLD)
}

const row = (name: string, seams: readonly SeamName[], run: Row<Stage>['run']): Row<Stage> => ({ name, seams, run })

export const PLACE_ROWS: readonly Row<Stage>[] = [
  row('pack and rule behind what the person typed', ['session-start inject', 'prompt inject'], inOneMessage),
  row('carry: rule after a tool that failed by itself', ['after-tool inject'], ruleAfterFailedTool),
  row('rule after an MCP tool, named by its server', ['after-tool inject'], mcpTool),
  row('rule on the path of a file in the message', ['prompt inject'], attached),
  row('X6: what the program loads itself is not served again', [], loadedByHarness),
]
