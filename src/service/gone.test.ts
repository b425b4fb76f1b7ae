import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isAlive, readServerFile, writeServerFile } from '../server/server-file.ts'
import { whenGone } from './gone.ts'
import { makeHome, until } from './home.fixture.ts'

function serverFile(pid: number) {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-gone-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'server.json')
  const write = (by: number) =>
    writeServerFile(file, { pid: by, address: 'http://127.0.0.1:4', version: '1.0.0', startedAt: 1, startedAs: 'background' })
  write(pid)
  return { folder, file, write }
}

test('a removed data folder, or another server in its place, tells so', async () => {
  const removed = serverFile(7)
  const replaced = serverFile(7)
  const kept = serverFile(7)
  const looks = [removed, replaced, kept].map(({ file }) => whenGone(file, 7, 1))
  onTestFinished(() => looks.forEach((look) => look.stop()))
  let isKept = true
  void looks[2]?.ended.then(() => (isKept = false))
  rmSync(removed.folder, { recursive: true })
  replaced.write(8)
  await Promise.all([looks[0]?.ended, looks[1]?.ended])
  expect(isKept).toBe(true)
})

test('a server in the background ends when its folder is gone', async () => {
  const { folder, paths, contextmd } = makeHome()
  expect((await contextmd(['service', 'start'])).code).toBe(0)
  const pid = readServerFile(paths.server)?.pid ?? 0
  expect(isAlive(pid)).toBe(true)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  await until(() => !isAlive(pid))
})
