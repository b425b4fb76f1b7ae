import { expect, test } from 'vitest'
import { id, type DeliveryId } from '../../core/id.ts'
import { NOTHING, type Reply } from '../../core/reply.ts'
import { grokHarness } from './grok.ts'
import { asOlder, recordedEvents } from './session.fixture.ts'

const harness = grokHarness({ readsIn: () => [] })
const delivery = id<DeliveryId>('d')
const SERVE: Reply = { kind: 'serve', delivery, text: 'TEXT' }
const DENY: Reply = { kind: 'deny', delivery, reason: 'REASON', text: '', notice: 'NOTICE' }

/** Answers to a reply, by event; events that get nothing are left out. */
function answers(reply: Reply, as: (event: unknown) => unknown = (event) => event): ReadonlyMap<string, object> {
  const bodies = new Map<string, object>()
  for (const { event } of recordedEvents()) {
    const decoded = harness.decode(as(event), 0)
    if (!decoded.ok) throw new Error(decoded.why)
    const answer = harness.render(reply, decoded.moment)
    if (answer.status === 200) bodies.set(decoded.moment.event, answer.body)
  }
  return bodies
}

test('S5: text goes where the model reads it, and only there', () => {
  const bodies = answers(SERVE)
  expect([...bodies.keys()].toSorted()).toEqual(['PostToolUse', 'PostToolUseFailure', 'PreToolUse', 'Stop'])
  for (const [event, body] of bodies) expect(body).toEqual({ hookSpecificOutput: { hookEventName: event, additionalContext: 'TEXT' } })
})

test('older versions take text at the stop only', () => {
  expect([...answers(SERVE, asOlder).keys()]).toEqual(['stop'])
})

test('a deny in the form that every version honours, with nothing beside it that would be dropped', () => {
  const deny = { decision: 'deny', reason: 'REASON', systemMessage: 'NOTICE' }
  expect([...answers(DENY)]).toEqual([['PreToolUse', deny]])
  expect([...answers(DENY, asOlder)]).toEqual([['pre_tool_use', deny]])
  expect(answers({ ...DENY, notice: '' }).get('PreToolUse')).toEqual({ decision: 'deny', reason: 'REASON' })
  expect(JSON.stringify([...answers({ ...DENY, text: 'TEXT' })])).not.toContain('TEXT')
})

test('nothing, or an empty text, is no answer', () => {
  expect(answers(NOTHING).size).toBe(0)
  expect(answers({ ...SERVE, text: '' }).size).toBe(0)
})
