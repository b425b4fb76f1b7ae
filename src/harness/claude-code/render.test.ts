import { describe, expect, test } from 'vitest'
import { id, type DeliveryId } from '../../core/id.ts'
import { NOTHING, type Reply } from '../../core/reply.ts'
import { claudeCodeHarness } from './claude-code.ts'
import { recordedEvents } from './session.fixture.ts'

const harness = claudeCodeHarness({ readsIn: () => [] })
const delivery = id<DeliveryId>('d')
const SERVE: Reply = { kind: 'serve', delivery, text: 'TEXT' }
const DENY: Reply = { kind: 'deny', delivery, reason: 'REASON', text: 'TEXT', notice: 'NOTICE' }

/** Answers to a reply, by event; events that get nothing are left out. */
function answers(reply: Reply): ReadonlyMap<string, object> {
  const bodies = new Map<string, object>()
  for (const { event } of recordedEvents()) {
    const decoded = harness.decode(event, 0)
    if (!decoded.ok) throw new Error(decoded.why)
    const answer = harness.render(reply, decoded.moment)
    if (answer.status === 200) bodies.set(decoded.moment.event, answer.body)
  }
  return bodies
}

describe('answers', () => {
  test('S5: text goes where the model reads it, and only there', () => {
    const seams = ['PostToolBatch', 'PostToolUse', 'PostToolUseFailure', 'PreToolUse', 'SessionStart', 'SubagentStart', 'UserPromptSubmit']
    const bodies = answers(SERVE)
    expect([...bodies.keys()].toSorted()).toEqual(seams)
    for (const [event, body] of bodies) {
      expect(body).toEqual({ hookSpecificOutput: { hookEventName: event, additionalContext: 'TEXT' } })
    }
  })

  test('X5: a compaction`s hooks print nothing', () => {
    for (const reply of [SERVE, DENY]) {
      expect(answers(reply).has('PreCompact')).toBe(false)
      expect(answers(reply).has('PostCompact')).toBe(false)
    }
  })

  test('G12: the text of a deny stands beside its reason', () => {
    expect([...answers(DENY)]).toEqual([
      [
        'PreToolUse',
        {
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            permissionDecision: 'deny',
            permissionDecisionReason: 'REASON',
            additionalContext: 'TEXT',
          },
          systemMessage: 'NOTICE',
        },
      ],
    ])
  })

  test('a deny without a text or a line for the person', () => {
    expect(answers({ ...DENY, text: '', notice: '' }).get('PreToolUse')).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'REASON' },
    })
  })

  test('nothing is an empty answer', () => {
    expect(answers(NOTHING).size).toBe(0)
    expect(answers({ ...SERVE, text: '' }).size).toBe(0)
  })

  test('the profile names exactly the moments that are answered', () => {
    const seams = harness.profile.seams
    const answered = new Set<string>()
    for (const { event } of recordedEvents()) {
      const decoded = harness.decode(event, 0)
      if (decoded.ok && harness.render(SERVE, decoded.moment).status === 200) answered.add(decoded.moment.kind)
    }
    expect([...answered].toSorted()).toEqual(Object.keys(seams).toSorted())
  })
})
