import { expect, test } from 'vitest'
import { Bed, entry } from '../core/core.fixture.ts'
import type { Decision } from '../core/decide.ts'
import { id, type DeliveryId } from '../core/id.ts'
import { settlingStep, settlingSteps, verdictStep } from './settling.ts'

const held = entry('held', { mustKnow: true })

function deliveryOf({ reply }: Decision): DeliveryId {
  return reply.kind === 'nothing' ? id<DeliveryId>('none') : reply.delivery
}

test('law 3: within two seconds a reply is settled; later it was released, refunded and logged, and the settle is refused', () => {
  const bed = new Bed()
  const delivery = deliveryOf(bed.before([held]))
  expect(settlingStep(bed.context, delivery, 'handed', bed.now + 2_000, true)).toMatchObject({ claims: [], result: { result: 'settled' } })
  const late = settlingStep(bed.context, delivery, 'handed', bed.now + 2_001, true)
  expect(late).toMatchObject({
    claims: [{ verdict: 'delivery_unverified' }],
    context: { claims: [], gates: {}, budget: { rules: 0 } },
    result: { result: 'unknown' },
  })
})

test('law 8: where neither records nor the end of a wave are told, one deny that was handed over lifts the gate at once, a dropped one does not', () => {
  const bed = new Bed()
  bed.judge([{ kind: 'no-records' }])
  const delivery = deliveryOf(bed.before([held]))
  expect(settlingStep(bed.context, delivery, 'dropped', bed.now, false).gates).toEqual([])
  const handed = settlingStep(bed.context, delivery, 'handed', bed.now, false)
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

test('a verdict about what was not handed over is none', () => {
  const bed = new Bed()
  const served = bed.prompt([entry('a')])
  expect(verdictStep(bed.context, deliveryOf(served), 'shown', bed.now).result).toEqual({ result: 'unknown', gates: [] })
  bed.settle(served, 'dropped')
  expect(verdictStep(bed.context, deliveryOf(served), 'shown', bed.now).result).toEqual({ result: 'unknown', gates: [] })
})

test('T3: a drop counts where something was reserved: not of a settled reply, of a stranger, or of one past its window', () => {
  const bed = new Bed()
  const [first, second, third] = [bed.prompt([entry('a')]), bed.prompt([entry('b')]), bed.prompt([entry('c')])]
  bed.handed(first)
  const drop = (delivery: DeliveryId) => ({ delivery, outcome: 'dropped' as const })
  const drops = [drop(deliveryOf(first)), drop(id<DeliveryId>('no such')), drop(deliveryOf(second)), drop(deliveryOf(second))]
  expect(settlingSteps(bed.context, drops, bed.now, true).result.dropped).toBe(1)
  expect(settlingSteps(bed.context, [drop(deliveryOf(third))], bed.now + 2_001, true).result.dropped).toBe(0)
  expect(settlingSteps(null, drops, bed.now, true).result.dropped).toBe(0)
})
