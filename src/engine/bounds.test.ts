import { expect, test } from 'vitest'
import { Desk } from './engine.fixture.ts'

const LONG = 'x'.repeat(3_000_000)
const BASH = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'toolu_1' }

test.each([
  ['a tool', 'PreToolUse', { tool_name: LONG }],
  ['a kind of agent', 'PreToolUse', { agent_type: 'x'.repeat(3_000) }],
  ['a session', 'PreToolUse', { session_id: 'a/b' }],
  ['an agent', 'PreToolUse', { agent_id: 'a|b' }],
  ['an event', LONG, {}],
  ['a call of a batch', 'PostToolBatch', { tool_calls: [{ tool_name: 'Bash', tool_input: {}, tool_use_id: LONG, tool_response: '' }] }],
])('law 16: %s of no real name is counted and not logged', async (_, event, more) => {
  const desk = new Desk()
  try {
    await expect(desk.tell(event, { ...BASH, ...more })).rejects.toThrow(/real one|with \/ or/)
    expect([desk.log(), desk.engine.health().counters['not_analysed']]).toEqual([[], 1])
  } finally {
    await desk.end()
  }
})

test.each([
  ['the session that started a subagent', 'grok', { hookEventName: 'subagent_start', sessionId: 'a/b', subagentId: 'c' }],
  ['a time', 'grok', { hookEventName: 'pre_tool_use', sessionId: 's', toolName: 'read_file', toolUseId: 't', timestamp: LONG }],
  ['a request', 'codex', { hook_event_name: 'PreModelRequest', session_id: 's', request_id: LONG, attempt_number: 1 }],
])('law 16: %s of no real name, of another harness', async (_, harness, event) => {
  const desk = new Desk()
  try {
    const body = { cwd: desk.project, ...event }
    const told = await desk.engine.moment({ harness, event: body, delivery: null, off: false, arrived: performance.now() })
    expect(told).toMatchObject({ ok: false, why: expect.stringMatching(/real one|with \/ or/) })
    expect(desk.log()).toEqual([])
  } finally {
    await desk.end()
  }
})
