import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readKey } from '../proof.ts'
import { findServer } from '../service/find.ts'
import { tellEngine } from './engine.fixture.ts'
import { readOwnToken } from './own-token.ts'
import { readServerFile, writeServerFile } from './server-file.ts'
import { BASE, temporaryPaths, withServer, type TestServer } from './with-server.fixture.ts'

/** From one look at the files to the next. */
const LOOK_MS = 2_000

/** The test moves the clock of the looks; all other timers are real, and at the end these are too. */
async function served(...of: Parameters<typeof withServer>): Promise<TestServer> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const server = await withServer(...of)
  onTestFinished(() => void vi.useRealTimers())
  return server
}

const look = (): void => void vi.advanceTimersByTime(LOOK_MS)

/** What the engine of these tests always tells. */
const OF_ENGINE: ReadonlySet<string> = new Set(
  tellEngine()
    .health()
    .problems.map(({ code }) => code),
)

async function health(server: TestServer): Promise<readonly { readonly code: string; readonly cure: string }[]> {
  const authorization = `Bearer ${readOwnToken(server.paths.ownToken)}`
  const response = await fetch(`${server.address}${BASE}/health`, { headers: { authorization } })
  expect(response.status).toBe(200)
  const { problems } = (await response.json()) as { readonly problems: readonly { readonly code: string; readonly cure: string }[] } // as health is
  return problems.filter(({ code }) => !OF_ENGINE.has(code))
}

test('a server whose data folder was removed is found again, by hooks and by the command line, and health says what is gone', async () => {
  const server = await served()
  expect(await health(server)).toEqual([])
  const key = readKey(server.paths.key)
  rmSync(server.paths.data, { recursive: true })
  expect(await findServer(server.paths)).toEqual({ state: 'none' })
  look()
  expect(await findServer(server.paths)).toMatchObject({ state: 'ours', file: { address: server.address, startedAs: 'terminal' } })
  expect(readKey(server.paths.key)).not.toBe(key)
  const { data, server: file, key: keyFile, ownToken } = server.paths
  expect([data, file, keyFile, ownToken].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600, 0o600, 0o600])
  expect(await health(server)).toMatchObject([{ code: 'data_removed', cure: expect.stringContaining('contextmd setup') }])
  expect(server.mishaps).toEqual([])
})

test('that is shown for an hour, and nothing is written while nothing is missing', async () => {
  const clock = { now: 0 }
  const server = await served(undefined, { now: () => clock.now })
  rmSync(server.paths.data, { recursive: true })
  look()
  const written = statSync(server.paths.server).ctimeMs
  look()
  look()
  clock.now += 60 * 60 * 1_000
  expect([await health(server), statSync(server.paths.server).ctimeMs]).toEqual([[], written])
})

const NO_TOKENS = '{"version":1,"tokens":[]}'

test.each([
  ['server.json that is cut', ({ paths }: TestServer) => writeFileSync(paths.server, '{"pid":')],
  ['server.json with another process', (server: TestServer) => edit(server, { pid: process.ppid })],
  ['key that is cut', ({ paths }: TestServer) => writeFileSync(paths.key, 'abc\n')],
  ['key that is gone', ({ paths }: TestServer) => rmSync(paths.key)],
  ['own token that is gone', ({ paths }: TestServer) => rmSync(paths.ownToken)],
  ['own token that an older tokens file does not know', ({ paths }: TestServer) => writeFileSync(paths.tokens, NO_TOKENS)],
])('a %s is made anew; no token of hooks is gone, so health says nothing', async (_, change) => {
  const server = await served()
  change(server)
  look()
  expect(await findServer(server.paths)).toMatchObject({ state: 'ours', file: { pid: process.pid, address: server.address } })
  expect(await health(server)).toEqual([])
})

test('what another server wrote is left alone, and nothing is written after the end', async () => {
  const server = await served()
  const other = { pid: 1, address: 'http://127.0.0.1:1', version: '0', startedAt: 0, startedAs: 'terminal' } as const
  writeServerFile(server.paths.server, other)
  look()
  expect(readServerFile(server.paths.server)).toEqual(other)
  rmSync(server.paths.server)
  await server.close()
  look()
  expect(readServerFile(server.paths.server)).toBeNull()
})

test.each([
  ['a server that is gone', { pid: 2 ** 31 - 1, startedAt: 2_000 }],
  ['one that was started before, whose number is another process`s now', { pid: process.ppid, startedAt: 999 }],
])('a file of %s, from a backup or a second server that was killed, is put right', async (_, of) => {
  const server = await served(undefined, { now: () => 1_000 })
  writeServerFile(server.paths.server, { address: 'http://127.0.0.1:1', version: '0', startedAs: 'terminal', ...of })
  look()
  expect(await findServer(server.paths)).toMatchObject({ state: 'ours', file: { pid: process.pid, address: server.address } })
})

test('who lost the state to another server tells nobody of itself', async () => {
  const told = tellEngine()
  const server = await served({ ...told, health: () => ({ ...told.health(), problems: [{ ...TAKEN }] }) })
  rmSync(server.paths.data, { recursive: true })
  look()
  expect([readServerFile(server.paths.server), readOwnToken(server.paths.ownToken)]).toEqual([null, null])
})
const TAKEN = { code: 'state_taken', severity: 'error', message: 'taken', cure: 'stop one' } as const

test('one in the background stays gone: that is how it is ended', async () => {
  const server = await served(undefined, { startedAs: 'background' })
  rmSync(server.paths.data, { recursive: true })
  look()
  expect(readServerFile(server.paths.server)).toBeNull()
})

test('S1: what can not be written is reported once, and tried on', async () => {
  const paths = temporaryPaths()
  // a folder of that name stops even a root user
  mkdirSync(paths.server, { recursive: true })
  const server = await served(undefined, { paths })
  look()
  look()
  expect(server.mishaps).toMatchObject([{ route: 'announce', code: 'EISDIR' }])
  rmSync(paths.server, { recursive: true })
  look()
  expect(readServerFile(paths.server)?.pid).toBe(process.pid)
  rmSync(paths.server)
  mkdirSync(paths.server)
  look()
  expect(server.mishaps).toHaveLength(2)
})

function edit({ paths }: TestServer, change: object): void {
  writeFileSync(paths.server, JSON.stringify({ ...(JSON.parse(readFileSync(paths.server, 'utf8')) as object), ...change }))
}
