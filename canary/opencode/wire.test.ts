/** The scripted model, asked over real HTTP as OpenCode and Grok Build ask it. */
import { afterEach, expect, test } from 'vitest'
import { grokWire } from '../grok/wire.ts'
import { inOrder, startModel } from '../kit/model.ts'
import type { Model } from '../kit/model.ts'
import { calls, say } from '../kit/reply.ts'
import { freshResults } from '../kit/request.ts'
import { shell } from './tools.ts'
import { opencodeWire } from './wire.ts'

let model: Model | null = null

afterEach(async () => {
  await model?.close()
  model = null
})

const GO = { role: 'user', content: 'go' }

async function ask(at: Model, messages: readonly object[], headers: Readonly<Record<string, string>> = {}, tools = 2): Promise<string> {
  const body = JSON.stringify({ model: 'm1', stream: true, messages, tools: Array.from({ length: tools }, () => ({})) })
  const response = await fetch(`${at.url}/chat/completions`, { method: 'POST', headers: { 'x-session-id': 's1', ...headers }, body })
  return response.text()
}

test('replies come in order, a wave in one, and a title uses none up', async () => {
  model = await startModel(opencodeWire)
  model.script(inOrder(calls(shell('ls'), shell('pwd')), say('Well.')))
  expect(await ask(model, [{ role: 'system', content: 'Make a title' }, GO], {}, 0)).toContain('A title')
  const wave = await ask(model, [GO])
  expect(wave.match(/"tool_calls":\[/g)).toHaveLength(2)
  expect(wave).toContain('"finish_reason":"tool_calls"')
  expect(await ask(model, [GO])).toContain('Well.')
  expect(await ask(model, [GO])).toContain('Done.')
  expect(model.requests()).toHaveLength(3)
  expect(model.problems()).toEqual([])
})

test('a subagent and a summary are told apart', async () => {
  model = await startModel(opencodeWire)
  model.script(inOrder(say('For the main agent.')))
  expect(await ask(model, [GO], { 'x-session-id': 's2', 'x-parent-session-id': 's1' })).toContain('Done.')
  expect(await ask(model, [{ role: 'system', content: 'Sum up' }, GO], {}, 0)).toContain('worked on the sample project')
  expect(await ask(model, [GO])).toContain('For the main agent.')
  expect(model.requests().map(({ agent, asksFor }) => [agent, asksFor])).toEqual([
    ['s2', 'reply'],
    [null, 'summary'],
    [null, 'reply'],
  ])
})

test('results of calls and what was there before are told apart', async () => {
  model = await startModel(opencodeWire)
  const call = { role: 'assistant', content: 'IN-THE-CALL' }
  await ask(model, [
    GO,
    call,
    { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'denied' }] },
    { role: 'user', content: 'beside' },
  ])
  const [request] = model.requests()
  if (request === undefined) throw new Error('no request was kept')
  expect(freshResults(request)).toEqual([{ call: 'c1', text: 'denied' }])
  // G3: what stands in the call itself was not said to the model.
  expect(request.said.map((part) => part.text)).toEqual(['go', 'denied', 'beside'])
})

test('Grok Build: subagents, summaries and titles', async () => {
  model = await startModel(grokWire)
  const headers = { 'x-grok-session-id': 'g1' }
  await ask(model, [GO], headers)
  await ask(model, [{ role: 'system', content: 'You are a Grok Build subagent' }, GO], { 'x-grok-session-id': 'g2' })
  expect(await ask(model, [GO, { role: 'user', content: 'Write a faithful, concise summary.' }], headers)).toContain('<summary>')
  expect(await ask(model, [GO], headers, 1)).toContain('A title')
  expect(model.requests().map(({ agent, asksFor }) => [agent, asksFor])).toEqual([
    [null, 'reply'],
    ['g2', 'reply'],
    [null, 'summary'],
  ])
})
