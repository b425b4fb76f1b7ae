import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openState } from '../state/sqlite/open.fixture.ts'
import { StateError } from '../state.ts'
import { Desk } from './engine.fixture.ts'
import { startReopening } from './reopening.ts'

const LOOK_MS = 2_000

// the one clock that it has
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

function begin(code: StateError['code'] = 'corrupt') {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-reopening-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'state')
  const told: string[] = []
  const at = { isWhole: false }
  const stop = startReopening({
    file,
    because: new StateError(code, 'at the start'),
    open() {
      if (!at.isWhole) throw new StateError(code, 'still')
      return openState()
    },
    onOpened: () => void told.push('opened'),
    onFailed: () => void told.push('failed'),
  })
  onTestFinished(stop)
  return { file, told, at, stop }
}

describe('a state that could not be used', () => {
  test('is tried again when its file has changed, and no more once it is open', () => {
    const { file, told, at } = begin()
    vi.advanceTimersByTime(5 * LOOK_MS)
    expect(told).toEqual([])
    writeFileSync(file, 'x')
    vi.advanceTimersByTime(LOOK_MS)
    expect(told).toEqual(['failed'])
    at.isWhole = true
    utimesSync(file, 1, 1)
    vi.advanceTimersByTime(LOOK_MS)
    expect(told).toEqual(['failed', 'opened'])
    writeFileSync(file, 'y')
    vi.advanceTimersByTime(100 * LOOK_MS)
    expect(told).toHaveLength(2)
  })

  test('is tried again each minute in any case', () => {
    const { told, at } = begin()
    vi.advanceTimersByTime(30 * LOOK_MS)
    expect(told).toEqual(['failed'])
    at.isWhole = true
    vi.advanceTimersByTime(30 * LOOK_MS)
    expect(told).toEqual(['failed', 'opened'])
  })

  test('is tried at each look where what was in the way passes by itself: a lock, a full disk', () => {
    for (const code of ['locked', 'full', 'taken'] as const) {
      const { told, at } = begin(code)
      vi.advanceTimersByTime(2 * LOOK_MS)
      at.isWhole = true
      vi.advanceTimersByTime(LOOK_MS)
      expect(told).toEqual(['failed', 'failed', 'opened'])
    }
  })

  test('is tried no more after the stop', () => {
    const { told, stop } = begin()
    stop()
    vi.advanceTimersByTime(100 * LOOK_MS)
    expect(told).toEqual([])
  })
})

test('S1: the engine serves once the file was moved away, and whoever followed the log follows on', async () => {
  const desk = new Desk({ commit: '---\nmust-know: true\nwhen:\n  - command: git commit\n---\nImperative subject.\n' })
  onTestFinished(() => desk.end())
  await desk.start()
  await desk.restart()
  writeFileSync(desk.paths.state, 'not a database, but long enough to be looked at as if it were one')
  let heard = 0
  desk.engine.onLog(() => heard++)
  expect((await desk.bash('git commit')).status).toBe(204)
  expect(desk.engine.health()).toMatchObject({ state: 'disabled', problems: [{ code: 'state_corrupt' }] })
  expect([desk.log(), desk.engine.logbook.totals()]).toEqual([[], null])
  rmSync(desk.paths.state)
  vi.advanceTimersByTime(LOOK_MS)
  const { state, problems } = desk.engine.health()
  expect([state, problems.filter(({ code }) => code.startsWith('state_'))]).toEqual(['serving', []])
  expect((await desk.bash('git commit')).decision).toBe('deny')
  expect(desk.engine.logbook.totals()?.totals.moments).toEqual({ denied: 1 })
  expect(heard).toBeGreaterThan(0)
})
