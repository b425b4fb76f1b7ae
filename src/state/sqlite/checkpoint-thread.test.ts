import { existsSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openCheckpoints } from './checkpoint-thread.ts'
import { filesIn, openState, temporaryFolder } from './open.fixture.ts'
import { serve } from './rows.fixture.ts'

test('what is committed is moved into the file; another file that was put in its place is left alone, one that is gone is not made', async () => {
  const folder = temporaryFolder()
  const { file } = filesIn(folder)
  const checkpoints = openCheckpoints(file)
  onTestFinished(() => checkpoints.close())
  const state = openState(folder)
  serve(state, 'd-1')
  const identity = state.identity()
  expect(await checkpoints.run(identity)).toBe(true)
  serve(state, 'd-2')
  const backup = `${file}.backup`
  {
    using other = new DatabaseSync(backup)
    other.exec('CREATE TABLE theirs (number INTEGER); INSERT INTO theirs VALUES (1)')
  }
  renameSync(backup, file)
  expect(await checkpoints.run(identity)).toBe(false)
  {
    using other = new DatabaseSync(file, { readOnly: true })
    expect(other.prepare('SELECT number FROM theirs').all()).toMatchObject([{ number: 1 }])
  }
  rmSync(file)
  expect([await checkpoints.run(identity), existsSync(file)]).toEqual([false, false])
})
