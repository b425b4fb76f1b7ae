import { expect, test } from 'vitest'
import { AgentTypes } from './agent-types.ts'

const ofThread = (thread: string) => ({ thread_id: thread })
const start = (agent: string, type: string) => ({ agent_id: agent, agent_type: type })

test('an event of a subagent gets the type that its start told; others stay as they are', () => {
  const types = new AgentTypes()
  expect(types.complete(ofThread('a'))).toEqual(ofThread('a'))
  expect(types.complete(start('a', 'explorer'))).toEqual(start('a', 'explorer'))
  expect(types.complete(ofThread('a'))).toEqual({ ...ofThread('a'), agent_type: 'explorer' })
  expect(types.complete(ofThread('b'))).toEqual(ofThread('b'))
  expect(types.complete({})).toEqual({})
})

test('the oldest are forgotten beyond a thousand', () => {
  const types = new AgentTypes()
  for (let n = 0; n <= 1_000; n += 1) types.complete(start(`a${n}`, 'explorer'))
  expect(types.complete(ofThread('a0'))).not.toHaveProperty('agent_type')
  expect(types.complete(ofThread('a1'))).toHaveProperty('agent_type')
  types.complete(start('a1', 'worker'))
  types.complete(start('new', 'worker'))
  expect(types.complete(ofThread('a1'))).toHaveProperty('agent_type', 'worker')
  expect(types.complete(ofThread('a2'))).not.toHaveProperty('agent_type')
})
