import { expect, test } from 'vitest'
import { IDLE_MS, newIdle, whenIdle } from './idle.ts'

const HOUR = 60 * 60 * 1_000

test('it is idle once nothing has happened for so long', () => {
  let now = 0
  const idle = newIdle(8 * HOUR, () => now)
  expect(idle.next()).toBeGreaterThan(0)
  now = 8 * HOUR - 10
  expect(idle.next()).toBe(10)
  idle.touch()
  now += 8 * HOUR - 1
  expect(idle.next()).toBe(1)
  now += 1
  expect(idle.next()).toBe(0)
})

test('a session that is left open over a weekend is served at its next call: only the start of one starts a server', () => {
  let now = 0
  const idle = newIdle(IDLE_MS, () => now)
  now = 4 * 24 * HOUR
  expect(idle.next()).toBeGreaterThan(0)
})

test('it looks again often: timers stand still while a machine sleeps', () => {
  const idle = newIdle(8 * HOUR, () => 0)
  expect(idle.next()).toBeLessThanOrEqual(60_000)
})

test('a clock that is set back ends nothing early, and does not keep it for ever', () => {
  let now = 100 * HOUR
  const idle = newIdle(8 * HOUR, () => now)
  now = 0
  expect(idle.next()).toBeGreaterThan(0)
  now = 8 * HOUR
  expect(idle.next()).toBe(0)
})

test('it tells so', async () => {
  let now = 0
  const idle = newIdle(5, () => now)
  const { ended } = whenIdle(idle)
  now = 5
  await ended
})
