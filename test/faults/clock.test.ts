import { afterEach, expect, test } from 'vitest'
import { Desk } from '../../src/engine/engine.fixture.ts'
import { budgetMistakes } from './budgets.fixture.ts'
import { COMMIT, HOUSE } from './talk.fixture.ts'
import { openSqliteState } from '../../src/state/sqlite/state.ts'

const HOUR_MS = 60 * 60 * 1_000
const YEAR_MS = 365 * 24 * HOUR_MS

let desk: Desk
afterEach(() => desk.end())

test.each([
  ['back an hour', -HOUR_MS],
  ['back ten years', -10 * YEAR_MS],
  ['forward an hour', HOUR_MS],
  ['forward ten years', 10 * YEAR_MS],
])('a clock that is set %s between two starts: calls are decided, gates lift, budgets stay exact', async (_, by) => {
  desk = new Desk({ commit: COMMIT, house: HOUSE })
  let offset = 0
  desk.now = () => 1_800_000_000_000 + offset
  await desk.start()
  await desk.prompt()
  desk.answers({ id: 'toolu_a', command: 'git commit' })
  const denied = await desk.bash('git commit', 'toolu_a')
  expect(denied.decision).toBe('deny')
  offset = by
  await desk.restart()
  desk.isDenied('toolu_a', denied.reason)
  desk.arrives('PreToolUse', 'toolu_a', denied.text)
  await desk.batchEnd('toolu_a')
  desk.answers({ id: 'toolu_b', command: 'git commit' })
  expect((await desk.bash('git commit', 'toolu_b')).decision).toBeUndefined()
  await expectConsistent()
})

test.each([
  ['back', -HOUR_MS],
  ['forward', HOUR_MS],
])('a reply that was on its way when the clock was set %s between two starts is released, once', async (_, by) => {
  desk = new Desk({ commit: COMMIT })
  let offset = 0
  desk.now = () => 1_800_000_000_000 + offset
  desk.settles = false
  const lost = await desk.bash('git commit', 'toolu_a')
  offset = by
  await desk.restart()
  desk.engine.log({})
  expect(desk.outcomes('rules/commit')).toEqual(['delivery_unverified'])
  // a brand has no value
  expect(desk.engine.settle(lost.delivery as never, 'handed')).toBe('late')
  desk.settles = true
  expect((await desk.bash('git commit', 'toolu_b')).text).toContain('Imperative subject.')
  expect(desk.outcomes('rules/commit')).toEqual(['delivery_unverified', 'held'])
  await expectConsistent()
})

test('a clock that jumps while it serves: evenly running time counts, no reply is lost', async () => {
  desk = new Desk({ commit: COMMIT })
  let offset = 0
  desk.now = () => 1_800_000_000_000 + offset
  desk.settles = false
  const denied = await desk.bash('git commit', 'toolu_a')
  for (const jump of [YEAR_MS, -YEAR_MS, -10 * YEAR_MS]) {
    offset = jump
    desk.engine.log({})
  }
  // a brand has no value
  expect(desk.engine.settle(denied.delivery as never, 'handed')).toBe('settled')
  expect(desk.outcomes('rules/commit')).toEqual(['held'])
  await expectConsistent()
})

async function expectConsistent(): Promise<void> {
  await desk.engine.drain()
  await desk.restart()
  const state = openSqliteState({ file: desk.paths.state, lockFile: desk.paths.lock, now: () => Date.now() })
  expect([...state.check(), ...budgetMistakes(state)]).toEqual([])
  state.close()
}
