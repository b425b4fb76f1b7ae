import { expect, test } from 'vitest'
import { DatabaseFile } from './database-file.ts'
import { T3Source } from './source.ts'
import { T3Host } from './t3-host.ts'
import { momentOf, World } from './world.fixture.ts'

function sourceOf(world: World) {
  const file = new DatabaseFile(world.file)
  let asked = 0
  const rows = {
    all: (sql: string, params: readonly (string | number | null)[] = []) => {
      asked += 1
      return file.all(sql, params)
    },
  }
  const clocks = { now: () => 0, mono: () => 0 }
  const source = new T3Source({ rows, name: world.file, folder: world.folder, isLive: () => null, clocks })
  return { source, file, asked: () => asked }
}

test('a database that went is asked no more, so that its file is not opened again', () => {
  const [old, next] = [sourceOf(new World('release')), sourceOf(new World('release'))]
  const world = new World('release')
  world.attempt({ id: 'a', session: 'S' })
  const joined = sourceOf(world)
  let sources = [joined.source, old.source]
  const host = new T3Host({ sources: () => sources, servesOthers: () => true })
  const moment = momentOf('S')
  const { thread, joining } = host.join(moment, null)
  expect(joining.state).toBe('joined')
  expect(host.canTell(moment.context)).toBe(true)
  sources = [next.source]
  joined.file.close()
  const asked = joined.asked()
  host.join(moment, thread)
  host.rolledBack(moment)
  expect(host.canTell(moment.context)).toBe(false)
  expect(joined.asked()).toBe(asked)
  for (const { file } of [old, next]) file.close()
})
