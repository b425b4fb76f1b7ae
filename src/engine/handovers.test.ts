import { afterEach, expect, test } from 'vitest'
import { Desk } from './engine.fixture.ts'

const COMMIT = '---\ntitle: Commit messages\nmust-know: true\nwhen:\n  - command: git commit\n---\nImperative subject.\n'

let desk: Desk
afterEach(() => desk.end())

test('replies of one turn of the loop are settled together, each with its own word', async () => {
  desk = new Desk({ commit: COMMIT, other: COMMIT.replace('git commit', 'git tag') })
  desk.settles = false
  await desk.start()
  const commit = await desk.bash('git commit')
  const tag = await desk.bash('git tag v1')
  desk.engine.settleSoon(commit.delivery as never, 'handed') // a brand has no value
  desk.engine.settleSoon(tag.delivery as never, 'dropped') // a brand has no value
  desk.engine.settleSoon('no such' as never, 'handed') // a brand has no value
  await new Promise((resolve) => setImmediate(resolve))
  expect([desk.outcomes('rules/commit'), desk.outcomes('rules/other')]).toEqual([['held'], ['dropped']])
})

test('what waits when the engine closes is settled, not lost', async () => {
  desk = new Desk({ commit: COMMIT })
  desk.settles = false
  const denied = await desk.bash('git commit')
  desk.engine.settleSoon(denied.delivery as never, 'handed') // a brand has no value
  await desk.restart()
  await desk.bash('ls')
  expect(desk.outcomes('rules/commit')).toEqual(['held'])
})
