/** Where ContextMD inside a host is told, and that it is told to nobody else's harm. The hosts are real processes. */
import { existsSync, writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { keepHostToken } from '../../install/host-token.ts'
import { readServerFile, writeServerFile } from '../../server/server-file.ts'
import { until } from '../../service/home.fixture.ts'
import { serverStarter } from '../../cli/serve-start.ts'
import { newHostHome, type Host } from './host-home.fixture.ts'
import { newWorld } from './world.fixture.ts'

// each test starts processes, on a busy machine for seconds
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

/** Of the problems that health has, as a person of the host sees them. */
async function codesOf({ port }: Host): Promise<readonly string[]> {
  const health = await fetch(`http://127.0.0.1:${port}/contextmd/v1/health`, { headers: { authorization: 'Bearer t3_person' } })
  const { problems } = (await health.json()) as { problems: { code: string }[] } // as the interface gives it
  return problems.map(({ code }) => code)
}

const QUIET = { write: () => true }

test('the address is told once the host listens, and taken back when it stops', async () => {
  const home = newHostHome()
  const host = await home.startHostProcess()
  const told = await home.told(host)
  expect(told).toMatchObject({ address: `http://127.0.0.1:${host.port}`, startedAs: 'host' })
  await host.stop()
  expect(existsSync(home.paths.server)).toBe(false)
})

test('a host that crashed leaves its address, which the next one replaces', async () => {
  const home = newHostHome()
  const first = await home.startHostProcess()
  await home.told(first)
  await first.crash()
  expect(readServerFile(home.paths.server)?.pid).toBe(first.pid)
  const second = await home.startHostProcess()
  expect((await home.told(second)).address).toBe(`http://127.0.0.1:${second.port}`)
})

test('a server beside goes first: the host says so in health, and tells its own address once that one has ended', async () => {
  const home = newHostHome()
  const start = await serverStarter({ paths: home.paths, startedAs: 'terminal', io: { env: home.env, stdout: QUIET, stderr: QUIET } })
  const beside = await start(0)
  const host = await home.startHostProcess()
  await until(async () => (await codesOf(host)).includes('server_beside'))
  expect(readServerFile(home.paths.server)?.address).toBe(beside.address)
  await beside.close()
  await home.told(host)
  expect(await codesOf(host)).not.toContain('server_beside')
})

test('what stands there and is no server of ours does not keep the host from being found', async () => {
  const home = newHostHome()
  const host = await home.startHost()
  await home.told(host)
  // a process that lives, and a port at which nobody can prove anything
  writeServerFile(home.paths.server, {
    pid: process.ppid,
    address: 'http://127.0.0.1:9',
    version: '1.0.0',
    startedAt: 1,
    startedAs: 'terminal',
  })
  await home.told(host)
  writeFileSync(home.paths.server, 'garbage')
  await home.told(host)
})

test('of two hosts the first goes first, until setup has chosen the other', async () => {
  const home = newHostHome()
  const other = newWorld()
  const first = await home.startHostProcess()
  await home.told(first)
  const second = await home.startHostProcess('', other)
  await until(async () => (await codesOf(second)).includes('server_beside'))
  const { stateDir } = other
  const kept = { base: other.home, stateDir, port: second.port, token: 't', issuedAt: 1, expiresAt: 2, session: null, hooksStarted: true }
  keepHostToken(home.paths.data, kept)
  await home.told(second)
  await until(async () => (await codesOf(first)).includes('host_not_chosen'))
  expect((await codesOf(second)).filter((code) => code === 'server_beside' || code === 'host_not_chosen')).toEqual([])
})
