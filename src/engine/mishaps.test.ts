import { expect, test } from 'vitest'
import { STATE_CURES, StateError } from '../state.ts'
import { LateError, Mishaps } from './mishaps.ts'
import { Problems } from './problems.ts'

function begin() {
  const clock = { now: 1_000 }
  const problems = new Problems()
  const told: unknown[] = []
  const mishaps = new Mishaps(
    problems,
    () => clock.now,
    (error) => told.push(error),
  )
  return { clock, problems, told, mishaps, codes: () => problems.current(clock.now).map(({ code }) => code) }
}

test('law 17: a state that failed is left alone for a second; once it answers, the problem is over', () => {
  const { clock, mishaps, problems, codes } = begin()
  mishaps.failed(new StateError('locked', `It is locked. ${STATE_CURES.locked}`))
  expect(problems.current(clock.now)).toEqual([
    { code: 'state_locked', severity: 'error', message: 'It is locked.', cure: STATE_CURES.locked },
  ])
  expect(mishaps.stateRests).toBe(true)
  clock.now += 999
  expect(mishaps.stateRests).toBe(true)
  clock.now += 1
  expect([mishaps.stateRests, codes()]).toEqual([false, ['state_locked']])
  mishaps.stateAnswered()
  expect(codes()).toEqual([])
})

test('law 17, law 16: any other failure is counted and told with a cure, and without a word of what failed', () => {
  const { clock, mishaps, problems, told } = begin()
  const error = new TypeError('/home/dev/private: git commit -m secret')
  mishaps.failed(error)
  mishaps.failed('thrown by something else')
  const [problem, ...more] = problems.current(clock.now)
  expect([problem?.code, problem?.severity, more]).toEqual(['moment_failed', 'error', []])
  expect(`${problem?.message}${problem?.cure}`).not.toMatch(/private|secret|thrown/)
  expect(problems.counters).toEqual({ failures: 2 })
  // whoever runs the server sees the whole error
  expect(told[0]).toBe(error)
  // it says nothing of the state
  expect(mishaps.stateRests).toBe(false)
})

test('T5: a moment that came too late is an outcome of its own', () => {
  const { mishaps, problems, codes } = begin()
  mishaps.failed(new LateError())
  expect([codes(), problems.counters]).toEqual([['moment_late'], { moments_late: 1 }])
})

test('T14: a clock that is set back does not keep the state off for as long', () => {
  const { clock, mishaps } = begin()
  mishaps.failed(new StateError('full', 'It is full.'))
  clock.now -= 3_600_000
  expect(mishaps.stateRests).toBe(false)
})

test('a row that can not be read is told, and nobody else waits for it', () => {
  const { mishaps, codes } = begin()
  mishaps.failed(new StateError('unreadable_row', `The row is broken. ${STATE_CURES.unreadable_row}`))
  expect([mishaps.stateRests, codes()]).toEqual([false, ['state_unreadable_row']])
})
