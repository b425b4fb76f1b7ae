import { copyFileSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openCheckpoints } from './checkpoint-thread.ts'
import { filesIn, openState, temporaryFolder } from './open.fixture.ts'
import { serve } from './rows.fixture.ts'

/** A state with one moment, and what writes it back. */
function served(clock?: { now: number }) {
  const folder = temporaryFolder()
  const { file } = filesIn(folder)
  const checkpoints = openCheckpoints(file)
  onTestFinished(() => checkpoints.close())
  const state = openState(folder, clock)
  serve(state, 'd-1')
  return { file, checkpoints, state }
}

test('a log that is not the server’s own is not touched, and none is made', async () => {
  const { file, checkpoints, state } = served()
  const identity = state.identity()
  renameSync(`${file}-wal`, `${file}-wal.away`)
  expect([await checkpoints.run(identity), existsSync(`${file}-wal`)]).toEqual([false, false])
  writeFileSync(`${file}-wal`, '')
  expect([await checkpoints.run(identity), statSync(`${file}-wal`).size]).toEqual([false, 0])
  renameSync(`${file}-wal.away`, `${file}-wal`)
  expect(await checkpoints.run(identity)).toBe(true)
})

test('what is committed is moved into the file; another file that was put in its place is left alone, one that is gone is not made', async () => {
  const { file, checkpoints, state } = served()
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

test('a loss that comes up while it is idle is told by the next call all the same', async () => {
  const clock = { now: 1_000 }
  const { file, checkpoints, state } = served(clock)
  state.checkpoint()
  copyFileSync(file, `${file}.backup`)
  serve(state, 'd-2')
  renameSync(`${file}.backup`, file)
  clock.now = 2_000
  expect(await checkpoints.run(state.identity())).toBe(false)
  expect(() => serve(state, 'd-3')).toThrow(expect.objectContaining({ code: 'replaced' }))
  serve(state, 'd-4')
  expect(await checkpoints.run(state.identity())).toBe(true)
  expect(state.log({}).map((row) => row.delivery)).toEqual(['d-1', 'd-4'])
  expect(state.check()).toEqual([])
})
