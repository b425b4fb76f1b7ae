import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Paths } from '../paths.ts'
import { proofOf, readKey } from '../proof.ts'
import { readServerFile, writeServerFile } from '../server/server-file.ts'
import { temporaryPaths, withServer } from '../server/with-server.fixture.ts'
import { run } from '../cli/run.fixture.ts'
import { findServer, isOurs, portOf } from './find.ts'
import { stopServer } from './stop.ts'

const KEY = 'c0ffee00'.repeat(8)
/** Short: what is silent here is silent for ever. */
const SOON_MS = 300

/** Listens, and is named in server.json as a process that lives. */
async function stranger(paths: Paths, listener: RequestListener): Promise<string[]> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${JSON.stringify(request.headers)}`)
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  mkdirSync(paths.data, { recursive: true })
  writeFileSync(paths.key, `${KEY}\n`)
  writeFileSync(paths.ownToken, 'cmd_own\n')
  writeServerFile(paths.server, {
    pid: process.pid,
    address: `http://127.0.0.1:${port}`,
    version: '1.0.0',
    startedAt: 0,
    startedAs: 'terminal',
  })
  return asked
}

test('without a file, after its process, and with one that can not be read there is none', async () => {
  const paths = temporaryPaths()
  expect(await findServer(paths)).toEqual({ state: 'none' })
  mkdirSync(paths.data, { recursive: true })
  writeFileSync(paths.server, '{')
  expect(await findServer(paths)).toEqual({ state: 'none' })
  writeServerFile(paths.server, { pid: 2 ** 22 + 1, address: 'http://127.0.0.1:9', version: '1.0.0', startedAt: 0, startedAs: 'terminal' })
  expect(await findServer(paths)).toEqual({ state: 'none' })
})

test('a running server is ours', async () => {
  const { paths } = await withServer()
  expect(await findServer(paths)).toEqual({ state: 'ours', file: readServerFile(paths.server) })
})

test.each([
  ['a process of somebody else', { pid: process.ppid }, 'terminal'],
  ['another way to start', { startedAs: 'background' }, 'background'],
])('a file that was changed by hand, to %s: the server itself says which process may be ended', async (_, change, startedAs) => {
  const { paths } = await withServer()
  const file = readServerFile(paths.server)
  writeFileSync(paths.server, JSON.stringify({ ...file, ...change }))
  expect(await findServer(paths)).toMatchObject({ state: 'ours', file: { pid: process.pid, startedAs } })
})

test('a server that does not say so is not ours to end, whatever the file says', async () => {
  const paths = temporaryPaths()
  await stranger(paths, (request, response) => {
    const nonce = request.url?.split('nonce=')[1] ?? ''
    response.end(proofOf(nonce, portOf(readServerFile(paths.server)!), KEY))
  })
  const found = await findServer(paths)
  expect(found).toMatchObject({ state: 'ours', file: { startedAs: 'host' } })
  expect(found.state === 'ours' && (await stopServer(paths, found.file))).toBe(false)
})

const STRANGERS: Readonly<Record<string, RequestListener>> = {
  'says anything': (_, response) => response.end('a'.repeat(64)),
  'says nothing': () => {},
  'breaks off': (_, response) => response.destroy(),
  'sends much and does not end': (_, response) => void response.write('a'.repeat(1_000_000)),
  'sends the wrong length': (_, response) => response.end(proofOf('', 0, '').slice(1)),
}

test('a question that is given up is answered with no at once, and keeps no connection', async () => {
  const giveUp = new AbortController()
  const server = createServer(() => giveUp.abort())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  expect(await isOurs(port, KEY, 600_000, giveUp.signal)).toBe(false)
  // would wait for it
  await new Promise((resolve) => server.close(resolve))
})

test.each(Object.keys(STRANGERS))('who took the port and %s is not ours, and is sent neither token nor key', async (what) => {
  const paths = temporaryPaths()
  const asked = await stranger(paths, STRANGERS[what]!)
  expect(await findServer(paths, SOON_MS)).toMatchObject({ state: 'unproven' })
  expect(asked.join()).toMatch(/^\/contextmd\/v1\/proof\?nonce=[0-9a-f]{64} /)
  expect(asked.join()).not.toMatch(new RegExp(`cmd_own|${KEY}|authorization`))
})

test('who passes the question on to the real server is not ours: the port is in the answer', async () => {
  const real = await withServer()
  const paths = temporaryPaths()
  await stranger(paths, (request, response) => {
    void fetch(real.address + request.url).then(async (answer) => response.end(await answer.text()))
  })
  writeFileSync(paths.key, `${readKey(real.paths.key)}\n`)
  expect(await findServer(paths)).toMatchObject({ state: 'unproven' })
})

test('without the key nobody can prove anything', async () => {
  const { paths } = await withServer()
  rmSync(paths.key)
  expect(await findServer(paths)).toMatchObject({ state: 'unproven' })
})

test('the command line sends its token to no stranger, and says why', async () => {
  const paths = temporaryPaths()
  const asked = await stranger(paths, (_, response) => response.end('hello'))
  const { code, err } = await run(['log'], { CONTEXTMD_DATA: paths.data })
  expect([code, err]).toEqual([1, expect.stringContaining("can't show that it is ContextMD")])
  expect(asked).toHaveLength(1)
  expect(asked.join()).not.toContain('cmd_own')
})
