import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { newNonce, PROOF_PATH } from '../proof.ts'
import { StateError } from '../state.ts'
import { NOTHING, served, tellEngine } from './engine.fixture.ts'
import { readServerFile, writeServerFile } from './server-file.ts'
import { ServerError } from './start.ts'
import { BASE, MOMENT, rawConnection, temporaryPaths, withServer } from './with-server.fixture.ts'

test('it tells where it is and takes that back at the end', async () => {
  const server = await withServer(undefined, { now: () => 1_234, version: '1.2.3' })
  expect(readServerFile(server.paths.server)).toEqual({
    pid: process.pid,
    address: server.address,
    version: '1.2.3',
    startedAt: 1_234,
    startedAs: 'terminal',
  })
  expect(statSync(server.paths.server).mode & 0o777).toBe(0o600)
  expect(statSync(server.paths.data).mode & 0o777).toBe(0o700)
  await Promise.all([server.close(), server.close()])
  expect(readServerFile(server.paths.server)).toBeNull()
  expect(server.told.isClosed).toBe(true)
})

test('a server.json of another process stays', async () => {
  const server = await withServer()
  writeServerFile(server.paths.server, { pid: 1, address: 'http://127.0.0.1:1', version: '0', startedAt: 0, startedAs: 'terminal' })
  await server.close()
  expect(readServerFile(server.paths.server)?.pid).toBe(1)
})

test('it makes a token for the own command line, private, and keeps a good one', async () => {
  const first = await withServer()
  const token = readFileSync(first.paths.ownToken, 'utf8').trim()
  expect(statSync(first.paths.ownToken).mode & 0o777).toBe(0o600)
  expect((await first.get(`${BASE}/log`, { authorization: `Bearer ${token}` })).status).toBe(200)
  await first.close()

  const second = await withServer(undefined, { paths: first.paths })
  expect(readFileSync(first.paths.ownToken, 'utf8').trim()).toBe(token)
  await second.close()

  writeFileSync(first.paths.ownToken, `${second.token('expired')}\n`)
  await withServer(undefined, { paths: first.paths })
  expect(readFileSync(first.paths.ownToken, 'utf8')).toMatch(/^cmd_/)
  expect(readFileSync(first.paths.ownToken, 'utf8').trim()).not.toBe(second.token('expired'))
})

test('a port in use by a stranger is named, with what to do, and the engine is closed', async () => {
  const stranger = createServer()
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void stranger.close())
  const address = stranger.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const told = tellEngine()
  const error = await withServer(told, { port }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ServerError)
  expect(error).toMatchObject({ code: 'port', message: expect.stringContaining(`port ${port} is in use`) })
  expect(String(error)).toContain('--port')
  expect(told.isClosed).toBe(true)
})

test('a second server on one state names the first', async () => {
  const first = await withServer()
  const openEngine = () => {
    throw new StateError('taken', 'another server owns the state')
  }
  const error = await withServer(undefined, { paths: first.paths, openEngine }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'running', address: first.address, message: expect.stringContaining(first.address) })
  expect(readServerFile(first.paths.server)?.address).toBe(first.address)
})

test('S1: a server.json that can not be written is reported and moments are answered all the same', async () => {
  const paths = temporaryPaths()
  // A folder of that name stops even a root user.
  mkdirSync(paths.server, { recursive: true })
  const server = await withServer(undefined, { paths })
  expect((await server.post(MOMENT, '{}')).status).toBe(204)
  expect(server.mishaps).toMatchObject([{ route: 'announce', code: 'EISDIR' }])
})

test('S1: a broken token file is reported, and the server is found all the same', async () => {
  const paths = temporaryPaths()
  mkdirSync(paths.data, { recursive: true })
  writeFileSync(paths.tokens, '{')
  const server = await withServer(undefined, { paths })
  expect(readServerFile(paths.server)?.address).toBe(server.address)
  expect(server.mishaps).toMatchObject([{ route: 'announce', name: 'TokensError' }])
  expect((await server.post(MOMENT, '{}', server.as('nobody'))).status).toBe(401)
})

test('closing lets a running answer finish, and an idle connection does not hold it up', async () => {
  let finish = (): void => {}
  let isAsked = (): void => {}
  const asked = new Promise<void>((resolve) => (isAsked = resolve))
  const told = tellEngine(({ delivery }) => {
    if (delivery === null) return NOTHING
    isAsked()
    return new Promise((resolve) => (finish = () => resolve(served('d1'))))
  })
  const server = await withServer(told)
  await rawConnection(server.port)
  await server.post(MOMENT, '{}')
  const response = server.post(MOMENT, '{}', { 'contextmd-delivery': 'slow' })
  await asked
  const closed = server.close()
  expect(told.isClosed).toBe(false)
  finish()
  expect((await response).status).toBe(200)
  await closed
  expect(told.settled).toEqual([{ delivery: 'd1', outcome: 'handed' }])
  expect(told.isClosed).toBe(true)
})

test('who has proven a server asks again from the first instant of its end: its port may be a stranger`s, its process lives', async () => {
  let finish = (): void => {}
  let isAsked = (): void => {}
  const asked = new Promise<void>((resolve) => (isAsked = resolve))
  const told = tellEngine(() => {
    isAsked()
    return new Promise((resolve) => (finish = () => resolve(NOTHING)))
  })
  const server = await withServer(told)
  const line = readFileSync(server.paths.server, 'utf8')
  const { socket, received } = await rawConnection(server.port)
  const slow = server.post(MOMENT, '{}')
  await asked
  // a question that is on its way when the end begins
  const question = `GET ${PROOF_PATH}?nonce=${newNonce()} HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\n`
  await new Promise((resolve) => socket.write(question, resolve))
  const closed = server.close()
  const named = readServerFile(server.paths.server)
  expect([named?.pid, readFileSync(server.paths.server, 'utf8') === line]).toEqual([process.pid, false])
  socket.end('\r\n')
  expect(await received()).not.toContain(' 200 ')
  finish()
  await slow
  await closed
  expect(readServerFile(server.paths.server)).toBeNull()
})

test('it listens on the loopback address only', async () => {
  const server = await withServer()
  expect(server.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})
