import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { filesIn, openState, temporaryFolder } from '../state/sqlite/open.fixture.ts'
import { logMoment, momentRow, serve } from '../state/sqlite/rows.fixture.ts'
import { retention } from './retention.ts'
import { startUpkeep } from './upkeep.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

// the clock of the upkeep, and of the state
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** `checkpoint`: in place of the thread that writes back. */
function begin(kept: Parameters<typeof retention>[1] = {}, checkpoint: () => Promise<boolean> = async () => true) {
  const folder = temporaryFolder()
  const clock = { now: Date.now() }
  const state = openState(folder, clock)
  const errors: unknown[] = []
  let checkpoints = 0
  let checkpointsHere = 0
  const at = { lastMoment: clock.now }
  const stop = startUpkeep({
    state: { ...state, checkpoint: () => void (checkpointsHere += 1) },
    now: () => clock.now,
    retention: (now) => retention(now, kept),
    lastMomentAt: () => at.lastMoment,
    checkpoint() {
      checkpoints += 1
      return checkpoint()
    },
    onError: (error) => errors.push(error),
  })
  onTestFinished(stop)
  const waiting = (): number => {
    using other = new DatabaseSync(filesIn(folder).file, { readOnly: true })
    return Number(other.prepare('SELECT count(*) AS count FROM backlog').get()?.['count'])
  }
  return {
    state,
    clock,
    at,
    errors,
    waiting,
    stop,
    checkpoints: () => checkpoints,
    checkpointsHere: () => checkpointsHere,
    file: filesIn(folder).file,
  }
}

test('what was committed is put away a moment later, all of it', async () => {
  const { state, waiting, errors } = begin()
  for (let number = 0; number < 100; number += 1) logMoment(state, momentRow(`d-${number}`))
  expect(waiting()).toBe(100)
  await vi.advanceTimersByTimeAsync(200)
  expect([waiting(), errors]).toEqual([0, []])
})

test('a server that is idle writes back once, a busy one after eight slices of put-away rows, and at once', async () => {
  const { state, clock, at, waiting, checkpoints } = begin()
  const pass = async (): Promise<void> => {
    clock.now += 3_000
    await vi.advanceTimersByTimeAsync(3_000)
  }
  await pass()
  expect(checkpoints()).toBe(0)
  serve(state, 'd-1')
  at.lastMoment = clock.now + 3_000
  await pass()
  expect(checkpoints()).toBe(0)
  await pass()
  await pass()
  expect(checkpoints()).toBe(1)
  for (let number = 0; number < 7 * 32; number += 1) logMoment(state, momentRow(`e-${number}`))
  await vi.advanceTimersByTimeAsync(200)
  expect([waiting(), checkpoints()]).toEqual([0, 1])
  logMoment(state, momentRow('f'))
  await vi.advanceTimersByTimeAsync(200)
  expect([waiting(), checkpoints()]).toEqual([0, 2])
})

test('what is committed while the log is written back waits, and is put away after that', async () => {
  let end = (_isDone: boolean): void => {}
  const { state, waiting, checkpoints } = begin({}, () => new Promise((resolve) => (end = resolve)))
  for (let number = 0; number < 8 * 32; number += 1) logMoment(state, momentRow(`d-${number}`))
  await vi.advanceTimersByTimeAsync(200)
  expect([waiting(), checkpoints()]).toEqual([0, 1])
  logMoment(state, momentRow('e'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(waiting()).toBe(1)
  end(true)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(waiting()).toBe(0)
})

test('a server so busy that the write-back is overtaken again and again does it here in the end', async () => {
  const { state, checkpoints, checkpointsHere } = begin({}, async () => false)
  const isBusy = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      for (let number = 0; number < 8 * 32; number += 1) logMoment(state, momentRow(`d-${time}-${checkpoints()}-${number}`))
      await vi.advanceTimersByTimeAsync(300)
    }
  }
  await isBusy(19)
  expect([checkpoints(), checkpointsHere()]).toEqual([19, 0])
  await isBusy(1)
  expect([checkpoints(), checkpointsHere()]).toEqual([20, 1])
})

test('old rows go, and rows over the size, in slices between which the log is written back', async () => {
  const { state, clock, checkpoints } = begin({ days: 7, rows: 500 })
  for (let number = 0; number < 2_000; number += 1) {
    logMoment(state, momentRow(`d-${number}`, { at: clock.now - (number < 1_000 ? 8 : 1) * DAY_MS }))
  }
  await vi.advanceTimersByTimeAsync(MINUTE_MS + 10_000)
  expect(state.log({ limit: 5_000 })).toHaveLength(500)
  expect(checkpoints()).toBeGreaterThan(0)
})

test('a state that fails is told, and asked again the next time', async () => {
  const { state, errors, file, clock } = begin({ days: 1 })
  serve(state, 'd-1')
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  await vi.advanceTimersByTimeAsync(150)
  expect(errors).toMatchObject([{ code: 'locked' }])
  other.exec('ROLLBACK')
  other.close()
  clock.now += 2_000
  serve(state, 'd-2')
  await vi.advanceTimersByTimeAsync(150)
  expect(errors).toHaveLength(1)
  expect(state.log({})).toHaveLength(2)
})

test('nothing is done after the stop', async () => {
  const { state, waiting, stop, checkpoints } = begin()
  serve(state, 'd-1')
  stop()
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS)
  expect([waiting(), checkpoints()]).toEqual([1, 0])
})
