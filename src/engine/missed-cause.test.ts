import { expect, test } from 'vitest'
import type { MissedFact } from '../core/fact.ts'
import { missedCause } from './missed-cause.ts'

const STARTED = 1_000_000

test.each([
  ['refused', 999_000, 'starting'],
  ['refused', STARTED, 'starting'],
  ['refused', 900_000, 'refused'],
  ['refused', 1_000_001, 'refused'],
  ['refused', undefined, 'refused'],
  ['timed-out', 999_000, 'timed-out'],
] as const)('%s at %s, of a server that started at 1,000,000: %s', (cause, at, told) => {
  const fact: MissedFact = { kind: 'missed', cause, call: null, ...(at === undefined ? {} : { at }) }
  expect(missedCause(fact, STARTED)).toBe(told)
})
