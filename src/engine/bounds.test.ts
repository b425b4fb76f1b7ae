import { expect, test } from 'vitest'
import { Desk } from './engine.fixture.ts'

test.each([
  ['a tool', { tool_name: 'x'.repeat(3_000_000) }],
  ['a kind of agent', { agent_type: 'x'.repeat(3_000) }],
  ['a session', { session_id: 'a/b' }],
  ['an agent', { agent_id: 'a|b' }],
])('law 16: %s of no real name is counted and not logged', async (_, more) => {
  const desk = new Desk()
  try {
    const event = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'toolu_1', ...more }
    await expect(desk.tell('PreToolUse', event)).rejects.toThrow(/real one|with \/ or/)
    expect([desk.log(), desk.engine.health().counters['not_analysed']]).toEqual([[], 1])
  } finally {
    await desk.end()
  }
})
