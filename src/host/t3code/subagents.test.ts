import { expect, test } from 'vitest'
import { DatabaseFile } from './database-file.ts'
import { t3codeHost } from './t3code.ts'
import { momentOf, World } from './world.fixture.ts'

test('subagents that were delegated to many times, level after level, are asked for once each', () => {
  const world = new World('release')
  world.attempt({ id: 'a', session: 'S' })
  world.providerThread({ id: 'PT-C', session: 'C', thread: 'L0' })
  const levels = 6
  for (let level = 0; level < levels; level += 1) {
    const isTop = level === levels - 1
    for (let at = 0; at < 4; at += 1) {
      const above = isTop ? { thread: 'T-S', run: 'R-S' } : { thread: `L${level + 1}`, run: null }
      world.subagent({ id: `s${level}.${at}`, ...above, providerThread: null, child: `L${level}` })
    }
  }
  const file = new DatabaseFile(world.file)
  let asked = 0
  const rows = {
    all: (sql: string, params: readonly (string | number | null)[] = []) => {
      if (sql.includes('child_thread_id = ?1')) asked += 1
      return file.all(sql, params)
    },
  }
  const host = t3codeHost({ rows, inside: false, now: () => 0 })
  expect(host.join(momentOf('C'), null).joining).toMatchObject({ state: 'joined', run: 'R-S' })
  expect(asked).toBe(levels)
  file.close()
})
