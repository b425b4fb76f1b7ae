/** A token that the host has given is named somewhere at every instant: a run may be broken off at any. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keepHostToken, readHostToken, type HostToken } from '../install/host-token.ts'
import { pathsFrom } from '../paths.ts'
import { proofOf } from '../proof.ts'
import { runCommandLine } from './run.ts'

// on a busy machine it takes seconds
vi.setConfig({ testTimeout: 180_000 })

const SESSION = 'session-77'
const GIVEN = `${Buffer.from(JSON.stringify({ sid: SESSION, scopes: ['orchestration:read'] })).toString('base64url')}.sig`

/** A host that gives a token and answers `status` when it is asked about it. `asked`: what was kept by then. */
async function newHost(status: number) {
  const home = mkdtempSync(join(tmpdir(), 'contextmd-inside-'))
  const env = { HOME: home, PATH: '/usr/bin:/bin' }
  const { data } = pathsFrom(env)
  const stateDir = join(home, '.t3', 'userdata')
  for (const folder of [stateDir, join(home, '.grok'), data]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const key = randomBytes(32).toString('hex')
  writeFileSync(join(data, 'server.key'), `${key}\n`, { mode: 0o600 })
  const asked: (HostToken | null)[] = []
  const server = createServer(({ url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    if (pathname === '/contextmd/v1/proof') return response.end(proofOf(searchParams.get('nonce') ?? '', port(), key))
    if (pathname === '/oauth/token')
      return response.end(JSON.stringify({ access_token: GIVEN, token_type: 'Bearer', expires_in: 2_592_000, scope: 'orchestration:read' }))
    if (pathname !== '/contextmd/v1/health') return response.writeHead(404).end()
    if (headers.authorization !== `Bearer ${GIVEN}`) return response.end('{"state":"serving"}')
    asked.push(readHostToken(data))
    return response.writeHead(status).end('{"state":"serving"}')
  })
  const port = (): number => (server.address() as AddressInfo).port // it listens on a port
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    rmSync(home, { recursive: true, force: true })
  })
  const startedAt = new Date().toISOString()
  const runtime = { version: 1, pid: process.pid, host: '127.0.0.1', port: port(), origin: `http://127.0.0.1:${port()}`, startedAt }
  writeFileSync(join(home, '.t3', 'userdata', 'server-runtime.json'), JSON.stringify(runtime))
  return { home, env, data, stateDir, asked, port: port() }
}

async function setUp(env: NodeJS.ProcessEnv) {
  let out = ''
  const stream = { write: (text: string) => (out += text) }
  const io = { stdout: stream, stderr: stream, env, input: async () => 'ABCDEFGH1234\n' }
  return { code: await runCommandLine(['setup', 'grok', '--inside', '--credential-stdin'], io), out }
}

test('it is kept before the host is asked whether it is good', async () => {
  const { env, data, asked } = await newHost(200)
  expect(await setUp(env)).toMatchObject({ code: 0 })
  expect(asked[0]).toMatchObject({ token: GIVEN, session: SESSION })
  expect(readHostToken(data)).toEqual(asked[0])
})

test('where the host refuses it, it is named, and not kept', async () => {
  const { env, data, asked } = await newHost(401)
  const { code, out } = await setUp(env)
  expect([code, out]).toEqual([1, expect.stringContaining(`nothing was set up. End it: t3 auth session revoke ${SESSION}`)])
  expect(asked).toMatchObject([{ session: SESSION }])
  expect(readHostToken(data)).toBeNull()
})

test('where the host refuses it, the one before is kept again', async () => {
  const { env, data, home, stateDir, port } = await newHost(401)
  const expiresAt = Date.now() + 60 * 60 * 1_000
  const kept = { base: join(home, '.t3'), stateDir, port, token: 'old', issuedAt: 1, expiresAt, session: 's-1', hooksStarted: false }
  keepHostToken(data, kept)
  const { code, out } = await setUp(env)
  expect([code, out]).toEqual([1, expect.stringContaining('the token before it is still the one that is kept')])
  expect(readHostToken(data)).toEqual(kept)
})
