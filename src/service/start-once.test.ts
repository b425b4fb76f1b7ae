/** Real processes: several at once, and one version after another. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isAlive, readServerFile, writeServerFile } from '../server/server-file.ts'
import { findServer } from './find.ts'
import { makeHome, until, type Home } from './home.fixture.ts'
import { startOnce } from './start-once.ts'
import { stopServer } from './stop.ts'

// each test starts programs, on a busy machine for seconds
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const SERVES = fileURLToPath(new URL('serves.fixture.ts', import.meta.url))

const start = ({ paths, env }: Home, version: string, command?: [string, ...string[]]) =>
  startOnce({ paths, version, env, command: command ?? [process.execPath, SERVES, version] })

test('of many at once one starts it, detached, and it is up when that one says so', async () => {
  const home = makeHome()
  const all = await Promise.all(Array.from({ length: 20 }, () => start(home, '1.0.0')))
  const started = all.filter(({ state }) => state === 'started')
  expect(started).toHaveLength(1)
  expect(all.filter(({ state }) => state === 'starting')).toHaveLength(19)
  const file = readServerFile(home.paths.server)
  expect(started[0]).toEqual({ state: 'started', file, replaced: null })
  expect(await start(home, '1.0.0')).toEqual({ state: 'running', file })
  // it leads a group of processes of its own, so that nothing that ends the caller's ends it
  process.kill(-(file?.pid ?? 0), 0)
})

test('a newer version replaces an older one: that one ends cleanly first', async () => {
  const home = makeHome()
  await start(home, '0.9.0')
  const old = readServerFile(home.paths.server)
  const started = await start(home, '0.10.0')
  const file = readServerFile(home.paths.server)
  expect(started).toEqual({ state: 'started', file, replaced: '0.9.0' })
  expect([file?.version, file?.pid === old?.pid]).toEqual(['0.10.0', false])
  await until(() => !isAlive(old?.pid ?? 0))
  expect(readFileSync(home.paths.log, 'utf8')).toContain('Asked to end')
})

test.each([
  ['names another package is left running: it would only come back', false, 'outdated'],
  ['names this one is replaced', true, 'started'],
])('an older server of a service whose file %s', async (_, isServiceOurs, state) => {
  const home = makeHome()
  await start(home, '0.9.0')
  const old = readServerFile(home.paths.server)
  if (old === null) throw new Error('no server')
  writeServerFile(home.paths.server, { ...old, startedAs: 'service' })
  const { paths, env } = home
  const command = [process.execPath, SERVES, '0.10.0'] as const
  expect(await startOnce({ paths, version: '0.10.0', env, command, isServiceOurs: () => isServiceOurs })).toMatchObject({ state })
  expect(readServerFile(home.paths.server)?.version).toBe(isServiceOurs ? '0.10.0' : '0.9.0')
})

test('an older version leaves a newer one alone', async () => {
  const home = makeHome()
  await start(home, '0.10.0')
  const file = readServerFile(home.paths.server)
  expect(await start(home, '0.9.0')).toEqual({ state: 'running', file })
})

test('after a kill the next one starts it: the kernel has freed the locks', async () => {
  const home = makeHome()
  await start(home, '1.0.0')
  const pid = readServerFile(home.paths.server)?.pid ?? 0
  process.kill(pid, 'SIGKILL')
  await until(() => !isAlive(pid))
  expect(await start(home, '1.0.0')).toMatchObject({ state: 'started', replaced: null })
})

test('a process of another kind that has the number of a server that is gone does not keep it from starting, and is left alone', async () => {
  const home = makeHome()
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("up")'])
  onTestFinished(() => void other.kill('SIGKILL'))
  await once(other.stdout, 'data')
  mkdirSync(home.paths.data, { recursive: true })
  writeFileSync(home.paths.key, 'k\n')
  writeServerFile(home.paths.server, {
    pid: other.pid ?? 0,
    address: 'http://127.0.0.1:9',
    version: '0.0.1',
    startedAt: 0,
    startedAs: 'background',
  })
  expect(await start(home, '1.0.0')).toMatchObject({ state: 'started', replaced: null })
  expect(isAlive(other.pid ?? 0)).toBe(true)
})

test.each([
  ['is missing', ['/nowhere/node']],
  ['ends at once', [process.execPath, '-e', 'console.error("why it does"); process.exit(3)']],
] as const)('a program that %s is a failure with its reason, and the next try is free', async (_, command) => {
  const home = makeHome()
  const [program, ...args] = command
  const started = await start(home, '1.0.0', [program, ...args])
  expect(started).toMatchObject({ state: 'failed', why: expect.stringMatching(/ENOENT|exit code 3.*server\.log/) })
  if (args.length > 0) expect(readFileSync(home.paths.log, 'utf8')).toContain('why it does')
  expect(await start(home, '1.0.0')).toMatchObject({ state: 'started' })
})

test('stopping waits for the end, and for a process that is gone there is nothing to wait for', async () => {
  const home = makeHome()
  await start(home, '1.0.0')
  const found = await findServer(home.paths)
  if (found.state !== 'ours') throw new Error(found.state)
  expect(await stopServer(home.paths, found.file)).toBe(true)
  expect(readServerFile(home.paths.server)).toBeNull()
  await until(() => !isAlive(found.file.pid))
  expect(await stopServer(home.paths, found.file)).toBe(true)
})
