import { expect, test } from 'vitest'
import { DatabaseFile } from './database-file.ts'
import { t3codeHost } from './t3code.ts'
import { momentOf, World } from './world.fixture.ts'

const PUT = `INSERT INTO orchestration_v2_projection_run_attempts
    (attempt_id, thread_id, run_id, attempt_ordinal, root_node_id, provider, provider_thread_id, status, payload_json)
  VALUES (?, 'T', ?, 1, 'N', 'x', 'PT', 'running', ?)`

test.each([
  ['nothing', ''],
  ['no JSON', 'broken'],
  ['a part', '{"nativeThreadId":'],
  ['too deep', '['.repeat(2_000) + ']'.repeat(2_000)],
])("our index never makes the host's own insert fail: %s", (_, payload) => {
  const world = new World('release')
  world.index()
  expect(() => world.database.prepare(PUT).run('bad', 'R-bad', payload)).not.toThrow()
  expect(() => world.database.prepare(`UPDATE orchestration_v2_projection_run_attempts SET status = 'running'`).run()).not.toThrow()
  world.attempt({ id: 'a', session: 'S' })
  const host = t3codeHost({ rows: new DatabaseFile(world.file), inside: false, now: () => 0 })
  expect(host.join(momentOf('S'), null).joining).toMatchObject({ state: 'joined', attempt: 'a' })
})

test('the index can be made where rows are broken, and both questions for running attempts are answered by it', () => {
  const world = new World('release')
  world.database.prepare(PUT).run('bad', 'R-bad', 'broken')
  world.attempt({ id: 'a', session: 'S' })
  world.index()
  const asked: string[] = []
  const file = new DatabaseFile(world.file)
  const rows = {
    all: (sql: string, params: readonly (string | number | null)[] = []) => {
      asked.push(sql)
      return file.all(sql, params)
    },
  }
  const host = t3codeHost({ rows, inside: false, now: () => 0 })
  host.join(momentOf('S'), null)
  host.join(momentOf('none'), null)
  const questions = [...new Set(asked.filter((sql) => sql.includes(`status = 'running' AND CASE`)))]
  expect(questions).toHaveLength(2)
  for (const sql of questions) {
    const plan = file.all(`EXPLAIN QUERY PLAN ${sql}`, sql.includes('?1') ? ['S'] : [])
    expect(plan.map(({ detail }) => detail).join('\n')).toMatch(/SEARCH .* USING INDEX contextmd_running_/)
  }
  file.close()
})
