import { describe, expect, test } from 'vitest'
import { id, type DeliveryId } from '../../core/id.ts'
import type { Moment } from '../../core/moment.ts'
import { codexHarness } from './codex.ts'
import { recordedEvents } from './rollout.fixture.ts'

const harness = codexHarness({ readsIn: () => [] })
const events = new Map(recordedEvents().map(({ name, event }) => [name, event]))
const delivery = id<DeliveryId>('d')

function moment(name: string): Moment {
  const decoded = harness.decode(events.get(name), 7)
  if (!decoded.ok) throw new Error(decoded.why)
  return decoded.moment
}

/** All that Codex 0.171.0 takes at these events. One other key, and the whole answer is none. */
const KEYS: readonly string[] = [
  'hookSpecificOutput',
  'hookEventName',
  'additionalContext',
  'permissionDecision',
  'permissionDecisionReason',
  'systemMessage',
]

function keysOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]) : []
}

describe('answers', () => {
  test.each(['session-start.startup', 'user-prompt-submit', 'pre-tool-use.bash', 'post-tool-use.bash-ok', 'subagent-start'])(
    'text at %s',
    (name) => {
      const { event } = moment(name)
      expect(harness.render({ kind: 'serve', delivery, text: 'RULE' }, moment(name))).toEqual({
        status: 200,
        body: { hookSpecificOutput: { hookEventName: event, additionalContext: 'RULE' } },
      })
    },
  )

  test.each(['stop', 'subagent-stop', 'pre-compact.auto', 'post-compact.auto', 'pre-model-request.sampling', 'session-end', 'interrupt'])(
    'X5: no text at %s',
    (name) => {
      expect(harness.render({ kind: 'serve', delivery, text: 'RULE' }, moment(name))).toEqual({ status: 204 })
    },
  )

  test('G12, G15: a deny has a stub as its reason, without the full stop that the harness adds, and the rule beside it', () => {
    const reply = { kind: 'deny', delivery, reason: 'Rule "X" must be known first.', text: 'RULE', notice: 'one line' } as const
    expect(harness.render(reply, moment('pre-tool-use.bash'))).toEqual({
      status: 200,
      body: {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'Rule "X" must be known first',
          additionalContext: 'RULE',
        },
        systemMessage: 'one line',
      },
    })
    expect(harness.render({ ...reply, text: '', notice: '' }, moment('pre-tool-use.bash'))).toEqual({
      status: 200,
      body: {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'Rule "X" must be known first',
        },
      },
    })
  })

  test('a deny where nothing can be denied is no answer', () => {
    const reply = { kind: 'deny', delivery, reason: 'r', text: '', notice: '' } as const
    expect(harness.render(reply, moment('user-prompt-submit'))).toEqual({ status: 204 })
  })

  test('S12: the strict parser gets no key that it does not know', () => {
    for (const name of events.keys()) {
      for (const reply of [
        { kind: 'serve', delivery, text: 'RULE' },
        { kind: 'deny', delivery, reason: 'r', text: 't', notice: 'n' },
        { kind: 'nothing' },
      ] as const) {
        const answer = harness.render(reply, moment(name))
        if (answer.status === 200) for (const key of keysOf(answer.body)) expect(KEYS).toContain(key)
      }
    }
  })
})
