import { expect, test } from 'vitest'
import { Bed, entry, outcomes } from './core.fixture.ts'
import { SETTLE_WINDOW_MS } from './settle.ts'

const rule = entry('rule')
const held = entry('held', { mustKnow: true })

test('T3: a dropped reply gives its budget back at once and may be served again', () => {
  const bed = new Bed()
  const served = bed.prompt([rule])
  bed.settle(served, 'dropped')
  expect(bed.context.budget?.rules).toBe(0)
  expect(bed.claimRows).toMatchObject([{ verdict: 'dropped' }])
  expect(outcomes(bed.prompt([rule]))).toEqual({ rule: 'served' })
})

test('T2: a settle after the window is refused, and what it reserved was refunded once', () => {
  const bed = new Bed()
  const served = bed.prompt([rule])
  bed.now += SETTLE_WINDOW_MS + 1
  expect(bed.settle(served, 'handed')).toBe('unknown')
  expect(bed.claimRows).toMatchObject([{ verdict: 'delivery_unverified' }])
  expect(bed.context.budget?.rules).toBe(0)
  expect(bed.settle(served, 'dropped')).toBe('unknown')
  expect(bed.claimRows).toHaveLength(1)
})

test('any later moment releases what nobody settled, also when the clock went back', () => {
  for (const step of [SETTLE_WINDOW_MS + 1, -60_000]) {
    const bed = new Bed()
    bed.prompt([rule])
    bed.now += step
    expect(outcomes(bed.prompt([rule]))).toEqual({ rule: 'served' })
  }
})

test('G1: four parallel calls that nobody settled are four denies, and lift nothing', () => {
  const bed = new Bed()
  const decisions = [0, 1, 2, 3].map((call) => bed.before([held], `c${call}`))
  expect(decisions.map((decision) => decision.reply.kind)).toEqual(['deny', 'deny', 'deny', 'deny'])
  bed.now += SETTLE_WINDOW_MS + 1
  expect(bed.before([held]).reply.kind).toBe('deny')
  expect(bed.context.gates[held.id]).toBeUndefined()
})

test('a refund reaches only the budget that was charged', () => {
  const bed = new Bed()
  const served = bed.prompt([rule])
  bed.handed(served)
  bed.run = 'run#2' as typeof bed.run // a brand has no value
  const other = bed.prompt([entry('other')])
  const charged = bed.context.budget?.rules
  bed.judge([{ kind: 'claim', claim: served.rows[0]!.claim!, found: 'absent', answered: true }])
  expect(bed.context.budget?.rules).toBe(charged)
  bed.settle(other, 'dropped')
  expect(bed.context.budget?.rules).toBe(0)
})
