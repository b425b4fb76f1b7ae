import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { Desk } from './engine.fixture.ts'

const FORCE = '---\ntitle: Force\nforbid: true\nwhen:\n  - command: git push --force\n---\nNever.\n'

test('law 17: a context whose row can not be read is let through and told, and no other session with it, in the same turn neither', async () => {
  const desk = new Desk({ force: FORCE })
  onTestFinished(() => desk.end())
  await desk.start()
  await desk.restart()
  using database = new DatabaseSync(desk.paths.state)
  database.exec("UPDATE contexts SET state = '{}'")
  const other = '00000000-0000-4000-8000-000000000002'
  const push = (call: string, session: string) =>
    desk.tell('PreToolUse', { session_id: session, tool_name: 'Bash', tool_input: { command: 'git push --force' }, tool_use_id: call })
  const together = await Promise.all([push('a', other), push('b', desk.session), push('c', other)])
  expect(together.map(({ decision }) => decision)).toEqual(['deny', undefined, 'deny'])
  expect((await push('d', other)).decision).toBe('deny')
  expect(desk.engine.health().problems.map(({ code }) => code)).toContain('state_unreadable_row')
})
