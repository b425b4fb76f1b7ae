import { expect, test } from 'vitest'
import { messageHash } from '../harness/claude-code/records-hash.ts'
import { Placeholders } from './placeholders.ts'

const filling = { home: '/home/dev', root: '/tmp/demo', startsAt: Date.parse('2027-03-01T12:00:00.000Z') }

test('paths, times and answers are those of today', () => {
  const placeholders = new Placeholders(filling)
  placeholders.answered(3, { answer: 'a $& rule', reason: 'a reason' })
  const first = placeholders.event({ cwd: '/home/dev/project', timestamp: '2026-01-05T09:00:00.000Z', count: 3, gone: null })
  expect(first).toEqual({ cwd: '/tmp/demo/project', timestamp: '2027-03-01T12:00:00.000Z', count: 3, gone: null })
  expect(placeholders.event({ calls: [{ text: 'Bash: {{reason 3}} {{answer 3}}', at: '2026-01-05T09:00:02.500Z' }] })).toEqual({
    calls: [{ text: 'Bash: a reason a $& rule', at: '2027-03-01T12:00:02.500Z' }],
  })
})

test('an answer that was not given is empty', () => {
  expect(new Placeholders(filling).event({ text: '[{{answer 9}}]' })).toEqual({ text: '[]' })
})

test('a message with a text of today has a hash of today, and requests name it so', () => {
  const placeholders = new Placeholders(filling)
  placeholders.answered(1, { answer: 'the rule', reason: '' })
  const message = { role: 'system', content: [{ type: 'text', text: 'context: {{answer 1}}' }] }
  const recorded = messageHash(message.role, message.content)
  const blob = placeholders.record({ type: 'api-request-blob', hash: recorded, message })
  const hash = messageHash('system', [{ type: 'text', text: 'context: the rule' }])
  expect(blob).toEqual({
    type: 'api-request-blob',
    hash,
    message: { role: 'system', content: [{ type: 'text', text: 'context: the rule' }] },
  })
  expect(placeholders.record({ type: 'api-request', id: 'r', keep: 0, tail: ['other', recorded] })).toMatchObject({ tail: ['other', hash] })
})
