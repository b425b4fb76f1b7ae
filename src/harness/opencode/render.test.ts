import { expect, test } from 'vitest'
import { id, type DeliveryId } from '../../core/id.ts'
import type { Moment } from '../../core/moment.ts'
import { NOTHING, type Reply } from '../../core/reply.ts'
import { decode } from './decode.ts'
import { POSTED, recordedEvents } from './recorded.fixture.ts'
import { render } from './render.ts'

const delivery = id<DeliveryId>('d')
const SERVE: Reply = { kind: 'serve', delivery, text: 'TEXT' }
const DENY: Reply = { kind: 'deny', delivery, reason: 'STUB\nTEXT', text: '', notice: 'NOTICE' }

const START = { hook: 'contextmd.session-start', input: { sessionID: 's', source: 'startup' } }

function moments(): readonly Moment[] {
  return [...recordedEvents().values(), START].flatMap((event) => {
    const decoded = decode({ ...POSTED, ...event }, 0, (path) => path)
    return decoded.ok ? [decoded.moment] : []
  })
}

/** Answers to a reply, by event; events that get nothing are left out. */
function answers(reply: Reply): ReadonlyMap<string, object> {
  return new Map(
    moments().flatMap((moment) => {
      const answer = render(reply, moment)
      return answer.status === 200 ? [[moment.event, answer.body] as const] : []
    }),
  )
}

test('S5: text goes where the plugin can put it before the model, and only there', () => {
  const bodies = answers(SERVE)
  const seams = ['chat.message', 'contextmd.session-start', 'experimental.compaction.autocontinue', 'tool.execute.after']
  expect([...bodies.keys()].toSorted()).toEqual(seams)
  for (const body of bodies.values()) expect(body).toEqual({ delivery: 'd', text: 'TEXT' })
})

test('a deny is thrown whole, before a call only', () => {
  expect([...answers(DENY)]).toEqual([['tool.execute.before', { delivery: 'd', deny: 'STUB\nTEXT', notice: 'NOTICE' }]])
  expect([...answers({ ...DENY, text: 'BESIDE', notice: '' }).values()]).toEqual([{ delivery: 'd', deny: 'STUB\nTEXT\nBESIDE' }])
})

test('a task of the person`s own command is never denied: an error there breaks the session', () => {
  const moment = moments().find(({ noSeam, kind }) => noSeam === true && kind === 'before-tool')
  expect(moment === undefined ? null : render(DENY, moment)).toEqual({ status: 204 })
})

test('X5: nothing goes into the summary of a compaction', () => {
  expect(answers(SERVE).has('experimental.session.compacting')).toBe(false)
})

test('nothing is nothing', () => {
  expect(answers(NOTHING).size).toBe(0)
  expect(answers({ ...SERVE, text: '' }).size).toBe(0)
})
