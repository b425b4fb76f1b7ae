/** The scripted model, asked over real HTTP as the program asks it. */
import { afterEach, expect, test } from 'vitest'
import { inOrder, startModel } from '../kit/model.ts'
import type { Model } from '../kit/model.ts'
import { calls, say } from '../kit/reply.ts'
import { freshResults } from '../kit/request.ts'
import { shell } from './tools.ts'
import { claudeCodeWire } from './wire.ts'

let model: Model | null = null

afterEach(async () => {
  await model?.close()
  model = null
})

async function ask(at: Model, messages: readonly object[], headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await fetch(`${at.url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { 'x-claude-code-session-id': 's1', ...headers },
    body: JSON.stringify({ model: 'claude-opus-5-5', stream: true, messages }),
  })
  return response.text()
}

/** The events of a stream, as objects. */
function events(stream: string): readonly unknown[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line): unknown => JSON.parse(line.slice('data: '.length)))
}

test('replies come in order, and the last words are said by themselves', async () => {
  model = await startModel(claudeCodeWire)
  model.script(inOrder(calls(shell('ls'), shell('pwd')), say('Well.')))
  const wave = events(await ask(model, [{ role: 'user', content: 'go' }]))
  expect(wave.filter((event) => JSON.stringify(event).includes('"tool_use","id"'))).toHaveLength(2)
  expect(JSON.stringify(wave)).toContain('"stop_reason":"tool_use"')
  expect(await ask(model, [{ role: 'user', content: 'go' }])).toContain('Well.')
  expect(await ask(model, [{ role: 'user', content: 'go' }])).toContain('Done.')
  expect(model.requests()).toHaveLength(3)
  expect(model.problems()).toEqual([])
})

test('a request for a summary is answered by itself and uses no reply up', async () => {
  model = await startModel(claudeCodeWire)
  model.script(inOrder(say('First.')))
  const summary = await ask(model, [{ role: 'user', content: 'Your task is to create a detailed summary of the conversation so far.' }])
  expect(summary).toContain('<summary>')
  expect(await ask(model, [{ role: 'user', content: 'go' }])).toContain('First.')
  expect(model.requests().map((request) => request.asksFor)).toEqual(['summary', 'reply'])
})

test('a subagent is told apart by its header', async () => {
  model = await startModel(claudeCodeWire)
  model.script(inOrder(say('For the main agent.')))
  expect(await ask(model, [{ role: 'user', content: 'go' }], { 'x-claude-code-agent-id': 'a1' })).toContain('Done.')
  expect(await ask(model, [{ role: 'user', content: 'go' }])).toContain('For the main agent.')
  expect(model.requests().map((request) => request.agent)).toEqual(['a1', null])
})

test('results of calls, text beside them and what was there before are told apart', async () => {
  model = await startModel(claudeCodeWire)
  await ask(model, [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'IN-THE-CALL' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: [{ type: 'text', text: 'denied' }] }] },
    { role: 'system', content: [{ type: 'text', text: 'beside' }] },
  ])
  const [request] = model.requests()
  if (request === undefined) throw new Error('no request was kept')
  expect(freshResults(request)).toEqual([{ call: 't1', isError: true, text: 'denied' }])
  expect(request.fresh.map((part) => part.text)).toEqual(['denied', 'beside'])
  // G3: what stands in the call itself was not said to the model.
  expect(request.said.map((part) => part.text)).toEqual(['go', 'denied', 'beside'])
})

test('a call that is not known, and a body that can not be read, are problems', async () => {
  model = await startModel(claudeCodeWire)
  expect((await fetch(`${model.url}/v1/other`, { method: 'POST', body: '{}' })).status).toBe(404)
  expect((await fetch(`${model.url}/v1/messages`, { method: 'POST', body: 'no json' })).status).toBe(400)
  expect(model.problems()).toHaveLength(2)
})
