/** Text beside a moment: at the session's start, at a prompt, beside and after a call. */
import { join } from 'node:path'
import { must } from '../../row.ts'
import type { Row, SeamName } from '../../row.ts'
import { inOrder } from '../model.ts'
import { call, calls, read, say, shell } from '../reply.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustNotSee, mustSee, nth } from './expect.ts'

const PACK = 'PACK-RULE: this project keeps its releases in a ledger.'
const AT_PROMPT = 'PROMPT-RULE: deployments are announced in the channel first.'
const BESIDE = 'BESIDE-RULE: keep generated files out of listings.'
const AFTER = 'AFTER-RULE: this warning is known, open no ticket.'
const FAILED = 'FAILURE-RULE: a missing folder is made by the bootstrap script.'

/** Both in the person's own message, behind what they typed, pack first. */
async function packAndPrompt(stage: Stage): Promise<void> {
  await stage.place.entry('pack', `---\ntitle: Ledger\nwhen:\n  - session: start\n---\n${PACK}\n`)
  await stage.place.entry('deploy', `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n---\n${AT_PROMPT}\n`)
  await stage.begin(inOrder(say('Fine.'), say('Fine.')))
  await stage.play(['Tell me a story', 'Now deploy it, please'])
  mustSee(nth(stage, 0), PACK)
  mustNotSee(nth(stage, 0), AT_PROMPT)
  mustSee(nth(stage, 1), PACK)
  mustSee(nth(stage, 1), AT_PROMPT)
  await stage.verdict('pack', 'shown')
  await stage.verdict('deploy', 'shown')
}

async function inOneMessage(stage: Stage): Promise<void> {
  await stage.place.entry('pack', `---\ntitle: Ledger\nwhen:\n  - session: start\n---\n${PACK}\n`)
  await stage.place.entry('deploy', `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n---\n${AT_PROMPT}\n`)
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

/** A hook before a call can put nothing in: the text comes with the call's own result. */
async function ruleBesideTool(stage: Stage): Promise<void> {
  await stage.place.entry('listing', `---\ntitle: Listings\nwhen:\n  - command: ls\n---\n${BESIDE}\n`)
  await stage.begin(inOrder(calls(shell('ls')), calls(shell('ls -a')), say('Done.')))
  await stage.play(['List the files'])
  mustNotSee(nth(stage, 0), BESIDE)
  mustSee(nth(stage, 1), BESIDE)
  mustBeAllowed(nth(stage, 1))
  // known by now: not served a second time
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

/** A tool that fails calls no hook: the bus tells of it, and the text comes with the next result. */
async function ruleAfterFailedTool(stage: Stage): Promise<void> {
  await stage.place.entry('after', `---\ntitle: After\nwhen:\n  - failed: true\n---\n${FAILED}\n`)
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
  await stage.place.entry('sums', `---\ntitle: Sums\nwhen:\n  - tool: mcp:lab/add\n    output: SUM\n---\n${AFTER}\n`)
  await stage.begin(inOrder(calls(call('lab_add', {})), say('Done.')))
  await stage.play(['Add'])
  mustSee(nth(stage, 1), 'SUM-5')
  mustSee(nth(stage, 1), AFTER)
  await stage.verdict('sums', 'shown')
}

/** X6: what the program loads by itself, in its instructions, is known. It tells of it with the first request only. */
async function loadedByHarness(stage: Stage): Promise<void> {
  const file = await stage.place.entry('deploy', `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n---\n${AT_PROMPT}\n`)
  await stage.place.write(join(stage.place.project, 'opencode.json'), JSON.stringify({ instructions: [file] }))
  await stage.begin(inOrder(say('Fine.'), say('Fine.')))
  await stage.play(['Tell me a story', 'Now deploy it, please'])
  mustSee(nth(stage, 1), AT_PROMPT)
  must((await stage.outcomes('deploy')).join() === 'known', `the entry should be known; it is ${(await stage.outcomes('deploy')).join()}`)
}

const row = (name: string, seams: readonly SeamName[], run: Row<Stage>['run']): Row<Stage> => ({ name, seams, run })

export const BESIDE_ROWS: readonly Row<Stage>[] = [
  row('pack at session start, rule at a prompt', ['session-start inject', 'prompt inject'], packAndPrompt),
  row('pack and rule behind what the person typed', ['session-start inject', 'prompt inject'], inOneMessage),
  row('carry: rule beside a tool comes with its result', ['after-tool inject'], ruleBesideTool),
  row('rule after a tool (output)', ['after-tool inject'], (stage) =>
    ruleAfter(stage, '  - output: deprecated gadget\n', AFTER, 'echo "warning: deprecated gadget"'),
  ),
  row('rule after a failure', ['after-tool inject'], (stage) => ruleAfter(stage, '  - failed: true\n', FAILED, 'ls missing-folder')),
  row('M8: rule after a failure masked by a printed exit', ['after-tool inject'], (stage) =>
    ruleAfter(stage, '  - failed: true\n', FAILED, 'ls missing-folder; echo "exit=$?"'),
  ),
  row('carry: rule after a tool that failed by itself', ['after-tool inject'], ruleAfterFailedTool),
  row('rule after an MCP tool, named by its server', ['after-tool inject'], mcpTool),
  row('X6: what the program loads itself is not served again', [], loadedByHarness),
]
