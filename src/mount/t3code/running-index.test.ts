import { DatabaseSync } from 'node:sqlite'
import { Context, Effect } from 'effect'
import { expect, test } from 'vitest'
import { DROP_OLD_INDEX_SQL, RUNNING_INDEX_NAME, RUNNING_INDEX_SQL } from '../../host/t3code/running-index.ts'
import { ATTEMPTS } from '../../host/t3code/tables.ts'
import { openHosted } from './hosted.fixture.ts'
import { newIndexMaker } from './running-index-maker.ts'
import { startSmallHost } from './small-host.fixture.ts'
import { contextmd } from './stable.ts'
import type { World } from './world.fixture.ts'

const start = (world: World) => startSmallHost(world, contextmd())

const OLD_NAME = 'contextmd_running_attempts_idx'

function hasIndex({ database }: World, name = RUNNING_INDEX_NAME): boolean {
  const opened = new DatabaseSync(database, { readOnly: true })
  try {
    return opened.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined
  } finally {
    opened.close()
  }
}

function withOldIndex({ database }: World): void {
  const opened = new DatabaseSync(database)
  opened.exec(`CREATE INDEX ${OLD_NAME} ON ${ATTEMPTS}(json_extract(payload_json, '$.nativeThreadId')) WHERE status = 'running'`)
  opened.close()
}

test('the index is made after the host let a moment through, and not before', async () => {
  const idle = await openHosted(start, undefined, true)
  expect((await idle.health()).state).toBe('serving')
  await idle.host.close()
  expect(hasIndex(idle.world)).toBe(false)

  const used = await openHosted(start, withOldIndex)
  expect((await used.commit('S-JOIN', 'toolu_a')).isDenied).toBe(true)
  expect((await used.commit('S-JOIN', 'toolu_b')).isDenied).toBe(true)
  // closing waits for it
  await used.host.close()
  expect(hasIndex(used.world)).toBe(true)
  // an earlier form of it is gone
  expect(hasIndex(used.world, OLD_NAME)).toBe(false)
})

test('a moment that the host refused makes none', async () => {
  const hosted = await openHosted(start, undefined, true)
  await fetch(`${hosted.host.address}/contextmd/v1/moment?harness=claude-code`, { method: 'POST', body: '{}' })
  await hosted.host.close()
  expect(hasIndex(hosted.world)).toBe(false)
})

test('a host that refuses the index is served all the same, and health says so', async () => {
  const statements: string[] = []
  const sql = {
    unsafe: (text: string) => {
      statements.push(text)
      return { withoutTransform: Effect.fail('attempt to write a readonly database') }
    },
  }
  const maker = newIndexMaker(sql, Context.empty())
  expect(maker.problems()).toEqual([])
  maker.activated()
  maker.activated()
  await maker.drain()
  expect(statements).toEqual([DROP_OLD_INDEX_SQL, RUNNING_INDEX_SQL])
  expect(maker.problems()).toMatchObject([{ code: 'host_index_missing', severity: 'info' }])
})
