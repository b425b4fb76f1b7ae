/** Which server the hook script posts to, and that nobody else gets the token or an event. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { ANSWER, closedPort, EVENT, makeHookHome, nameServer, playServer } from './hook.fixture.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const SERVED = { code: 0, out: `${ANSWER}\n` }
const SILENT = { code: 0, out: '', err: '' }

describe.each([['curl'], ['wget'], ['node']])('by %s', (client) => {
  const programs = { curl: ['curl', 'sha256sum'], wget: ['wget', 'sha256sum', 'mktemp', 'cat', 'rm'], node: ['node'] }[client] ?? []

  test('the server at the port of setup is asked for its proof, and gets the event', async () => {
    const home = makeHookHome()
    const server = await playServer(true)
    expect(await home.hook(server.port, { env: { PATH: await home.pathOf(...programs) } })).toMatchObject(SERVED)
    expect([server.proofs, server.posted.length]).toEqual([1, 1])
    expect(server.posted.join()).toContain('what a person typed')
  })

  test('a stranger at the port gets neither token nor event, its text reaches nobody, and the moment is counted as missed', async () => {
    const home = makeHookHome()
    const stranger = await playServer(false)
    const env = { PATH: await home.pathOf(...programs) }
    expect(await home.hook(stranger.port, { env })).toMatchObject(SILENT)
    expect([stranger.proofs, stranger.posted]).toEqual([1, []])
    expect(readFileSync(join(home.paths.hooks, 'claude-code.missed'), 'utf8')).toBe('0 1 0\n')
  })

  test('a server at another port than that of setup is found by server.json', async () => {
    const home = makeHookHome()
    const server = await playServer(true)
    nameServer(home, server.port)
    const env = { PATH: await home.pathOf(...programs) }
    expect(await home.hook(await closedPort(), { env })).toMatchObject(SERVED)
    const stranger = await playServer(false)
    expect(await home.hook(stranger.port, { env })).toMatchObject(SERVED)
    expect([server.posted.length, stranger.posted]).toEqual([2, []])
  })
})

test.each([[['curl', 'sha256sum']], [['curl', 'shasum']], [['curl', 'openssl']]])('with %s the proof can be checked', async (programs) => {
  const home = makeHookHome()
  const { out } = await home.run(['/bin/sh', '-c', `command -v ${programs[1]}`])
  if (out === '') return
  const [server, stranger] = [await playServer(true), await playServer(false)]
  const env = { PATH: await home.pathOf(...programs, ...(programs.includes('shasum') ? ['perl'] : [])) }
  expect(await home.hook(server.port, { env })).toMatchObject(SERVED)
  expect(await home.hook(stranger.port, { env })).toMatchObject({ code: 0, out: '' })
  expect(stranger.posted).toEqual([])
})

test('where nothing can check it, the process that server.json names must live', async () => {
  const home = makeHookHome()
  const server = await playServer(true)
  const env = { PATH: await home.pathOf('curl') }
  expect(await home.hook(server.port, { env })).toMatchObject(SILENT)
  nameServer(home, server.port, { pid: 2 ** 22 + 1 })
  expect(await home.hook(server.port, { env })).toMatchObject(SILENT)
  nameServer(home, server.port)
  expect(await home.hook(server.port, { env })).toMatchObject(SERVED)
  expect(server.posted).toHaveLength(1)
})

test('S7: a server that has proven itself is asked no more, until another one may be there or a session starts', async () => {
  const home = makeHookHome()
  const server = await playServer(true)
  nameServer(home, server.port)
  for (let run = 0; run < 3; run += 1) expect(await home.hook(server.port)).toMatchObject(SERVED)
  expect(server.proofs).toBe(1)
  nameServer(home, server.port, { version: '1.0.1' })
  await home.hook(server.port)
  expect(server.proofs).toBe(2)
  await home.hook(server.port, { start: true })
  expect(server.proofs).toBe(3)
  expect(server.posted).toHaveLength(5)
})

test('a server that was killed leaves its file: who has its port then is asked anew', async () => {
  const home = makeHookHome()
  const server = await playServer(true)
  nameServer(home, server.port)
  expect(await home.hook(server.port)).toMatchObject(SERVED)
  // the same line as was proven, of a process that is gone
  const kept = join(home.paths.hooks, 'claude-code.proved')
  const gone = readFileSync(kept, 'utf8').replace(/"pid":\d+/, `"pid":${2 ** 22 + 1}`)
  writeFileSync(kept, gone)
  nameServer(home, server.port, { pid: 2 ** 22 + 1 })
  await home.hook(server.port)
  expect(server.proofs).toBe(2)
})

test('a process that bears the number of the proven one, and began at another time, must prove it anew', async () => {
  const home = makeHookHome()
  const stranger = await playServer(false)
  nameServer(home, stranger.port)
  const line = readFileSync(home.paths.server, 'utf8').trim()
  // as a proof of the server that had this number and this port before
  writeFileSync(join(home.paths.hooks, 'claude-code.proved'), `${stranger.port} ${stranger.port} ${line} 1\n`)
  expect(await home.hook(stranger.port)).toMatchObject(SILENT)
  expect(stranger.posted).toEqual([])
})

test('S12: garbage in our own files is no address', async () => {
  const home = makeHookHome()
  const server = await playServer(true)
  for (const text of ['', '{', '{"pid":1}', '\0\0', `{"pid":${process.pid},"address":"http://127.0.0.1:x"}`, '* ? [a-z]*\n']) {
    writeFileSync(home.paths.server, text)
    writeFileSync(join(home.paths.hooks, 'claude-code.proved'), text)
    expect(await home.hook(server.port)).toMatchObject({ ...SERVED, err: '' })
  }
  rmSync(home.paths.key)
  expect(await home.hook(server.port)).toMatchObject(SILENT)
  expect(server.posted).toHaveLength(6)
})

test('CONTEXTMD_DATA names the server of `contextmd run`; the token stays that of setup', async () => {
  const home = makeHookHome()
  const [own, ofRun] = [await playServer(true), await playServer(true)]
  const folder = join(home.folder, 'run')
  nameServer(home, own.port)
  nameServer(home, ofRun.port, { folder })
  writeFileSync(join(folder, 'server.key'), readFileSync(home.paths.key))
  expect(await home.hook(await closedPort(), { env: { CONTEXTMD_DATA: folder } })).toMatchObject(SERVED)
  expect([own.posted, ofRun.posted.length]).toEqual([[], 1])
  expect(ofRun.posted.join()).toContain('Bearer cmd_secret')
  expect(ofRun.posted.join()).toContain(JSON.parse(EVENT).text)
})
