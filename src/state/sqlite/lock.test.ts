import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startChild } from './child.fixture.ts'
import { filesIn, openState, temporaryFolder } from './open.fixture.ts'
import { takeLock } from './lock.ts'
import { openSqliteState } from './state.ts'

test('a second taker is refused while the first lives, and not after its kill -9', async () => {
  const lockFile = join(temporaryFolder(), 'server.lock')
  const owner = startChild('holds-lock.fixture.ts', [lockFile])
  expect(await owner.line()).toBe('held')
  expect(() => takeLock(lockFile)).toThrow(expect.objectContaining({ code: 'taken' }))
  expect(await startChild('holds-lock.fixture.ts', [lockFile]).line()).toBe('taken')

  await owner.kill()
  takeLock(lockFile).release()
})

test('another process is refused while this one holds it, and not after the release', async () => {
  const lockFile = join(temporaryFolder(), 'server.lock')
  const lock = takeLock(lockFile)
  expect(() => takeLock(lockFile)).toThrow(expect.objectContaining({ code: 'taken' }))
  expect(await startChild('holds-lock.fixture.ts', [lockFile]).line()).toBe('taken')
  lock.release()
  lock.release()
  expect(await startChild('holds-lock.fixture.ts', [lockFile]).line()).toBe('held')
})

test('a state is owned by one: the second opener is told', () => {
  const folder = temporaryFolder()
  openState(folder)
  expect(() => openSqliteState({ ...filesIn(folder), now: () => 1_000 })).toThrow(expect.objectContaining({ code: 'taken' }))
})
