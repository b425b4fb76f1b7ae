/** The scripted model, asked over real HTTP as the program asks it. */
import { afterEach, expect, test } from 'vitest'
import { inOrder, startModel } from '../kit/model.ts'
import type { Model } from '../kit/model.ts'
import { calls, say } from '../kit/reply.ts'
import { freshResults } from '../kit/request.ts'
import { shell } from './tools.ts'
import { codexWire } from './wire.ts'

let model: Model | null = null

afterEach(async () => {
  await model?.close()
  model = null
})

const GO = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] }

async function ask(at: Model, input: readonly object[], headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await fetch(`${at.url}/v1/responses`, {
    method: 'POST',
    headers: { 'session-id': 's1', 'thread-id': 's1', ...headers },
    body: JSON.stringify({ model: 'gpt-5.5', stream: true, input }),
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
  model = await startModel(codexWire)
  model.script(inOrder(calls(shell('ls'), shell('pwd')), say('Well.')))
  const wave = events(await ask(model, [GO]))
  expect(wave.filter((event) => JSON.stringify(event).includes('"function_call"'))).toHaveLength(2)
  expect(await ask(model, [GO])).toContain('Well.')
  expect(await ask(model, [GO])).toContain('Done.')
  expect(model.requests()).toHaveLength(3)
  expect(model.problems()).toEqual([])
})

test('a request for a summary is answered by itself and uses no reply up', async () => {
  model = await startModel(codexWire)
  model.script(inOrder(say('First.')))
  const wanted = 'You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary.'
  const summary = await ask(model, [GO, { type: 'message', role: 'user', content: [{ type: 'input_text', text: wanted }] }])
  expect(summary).toContain('worked on the sample project')
  expect(await ask(model, [GO, { type: 'compaction_trigger' }])).toContain('worked on the sample project')
  expect(await ask(model, [GO])).toContain('First.')
  expect(model.requests().map((request) => request.asksFor)).toEqual(['summary', 'summary', 'reply'])
})

test('a subagent is told apart by its thread', async () => {
  model = await startModel(codexWire)
  model.script(inOrder(say('For the main agent.')))
  expect(await ask(model, [GO], { 'thread-id': 'a1' })).toContain('Done.')
  expect(await ask(model, [GO])).toContain('For the main agent.')
  expect(model.requests().map((request) => request.agent)).toEqual(['a1', null])
})

test('results of calls, text beside them and what was there before are told apart', async () => {
  model = await startModel(codexWire)
  await ask(model, [
    GO,
    { type: 'function_call', call_id: 'c1', name: 'exec_command', arguments: '{"cmd":"IN-THE-CALL"}' },
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'beside' }] },
    { type: 'function_call_output', call_id: 'c1', output: 'denied' },
  ])
  const [request] = model.requests()
  if (request === undefined) throw new Error('no request was kept')
  expect(freshResults(request)).toEqual([{ call: 'c1', text: 'denied' }])
  expect(request.fresh.map((part) => part.text)).toEqual(['beside', 'denied'])
  // G3: what stands in the call itself was not said to the model.
  expect(request.said.map((part) => part.text)).toEqual(['go', 'beside', 'denied'])
})

test('a call that is not known, and a body that can not be read, are problems', async () => {
  model = await startModel(codexWire)
  expect((await fetch(`${model.url}/v1/other`, { method: 'POST', body: '{}' })).status).toBe(404)
  expect((await fetch(`${model.url}/v1/responses`, { method: 'POST', body: 'no json' })).status).toBe(400)
  expect(model.problems()).toHaveLength(2)
})
