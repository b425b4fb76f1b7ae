import { expect, test } from 'vitest'
import { Bed, entry } from '../core/core.fixture.ts'
import type { Decision } from '../core/decide.ts'
import { id, type DeliveryId } from '../core/id.ts'
import { settlingStep, verdictStep } from './settling.ts'

const held = entry('held', { mustKnow: true })

function deliveryOf({ reply }: Decision): DeliveryId {
  return reply.kind === 'nothing' ? id<DeliveryId>('none') : reply.delivery
}

test('law 3: within two seconds a reply is settled; later it was released, refunded and logged, and the settle is refused', () => {
  const bed = new Bed()
  const delivery = deliveryOf(bed.before([held]))
  expect(settlingStep(bed.context, delivery, 'handed', bed.now + 2_000)).toMatchObject({ claims: [], result: { result: 'settled' } })
  const late = settlingStep(bed.context, delivery, 'handed', bed.now + 2_001)
  expect(late).toMatchObject({
    claims: [{ verdict: 'delivery_unverified' }],
    context: { claims: [], gates: {}, budget: { rules: 0 } },
    result: { result: 'unknown' },
  })
})

test('law 8: in a session without records one deny that was handed over lifts the gate at once, a dropped one does not', () => {
  const bed = new Bed()
  bed.judge([{ kind: 'no-records' }])
  const delivery = deliveryOf(bed.before([held]))
  expect(settlingStep(bed.context, delivery, 'dropped', bed.now).gates).toEqual([])
  const handed = settlingStep(bed.context, delivery, 'handed', bed.now)
  expect(handed).toMatchObject({ claims: [{ verdict: 'unverified' }], gates: [{ entry: 'held', lift: 'assumed' }] })
  expect(handed.result.gates).toEqual(handed.gates)
})

test("a client's word judges each text of its delivery, and no other", () => {
  const bed = new Bed()
  const first = bed.prompt([entry('a'), entry('b')])
  const second = bed.prompt([entry('c')])
  bed.handed(first)
  bed.handed(second)
  const judged = verdictStep(bed.context, deliveryOf(first), 'hidden', bed.now)
  expect(judged).toMatchObject({ claims: [{ verdict: 'hidden' }, { verdict: 'hidden' }], result: { result: 'judged' } })
  expect(judged.context?.claims.map((claim) => claim.entry)).toEqual(['c'])
  expect(verdictStep(bed.context, id<DeliveryId>('no such'), 'shown', bed.now).result).toEqual({ result: 'unknown', gates: [] })
})
