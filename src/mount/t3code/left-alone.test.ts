/** A host runs a person's agents: whatever ends servers of ours leaves it alone, and says so. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keepHostToken } from '../../install/host-token.ts'
import { readServerFile } from '../../server/server-file.ts'
import { until } from '../../service/home.fixture.ts'
import { ownProgram } from '../../service/program.ts'
import { startOnce } from '../../service/start-once.ts'
import { stopServer } from '../../service/stop.ts'
import { newHostHome, type HostHome } from './host-home.fixture.ts'

// each test starts processes, on a busy machine for seconds
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const START = fileURLToPath(new URL('../../../hooks/contextmd-start.sh', import.meta.url))

/** A moment that changes nothing, by a token of the host. */
async function post({ paths }: HostHome, token: string): Promise<number> {
  const body = JSON.stringify({ session_id: 's', transcript_path: '/home/dev/s.jsonl', cwd: '/home/dev', hook_event_name: 'Stop' })
  const address = `${readServerFile(paths.server)?.address}/contextmd/v1/moment?harness=claude-code`
  return (await fetch(address, { method: 'POST', body, headers: { authorization: `Bearer ${token}` } })).status
}

test('commands that end servers of ours say that a host is not ended, and leave it its address and its data', async () => {
  const home = newHostHome()
  const host = await home.startHostProcess()
  const told = await home.told(host)
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['service', 'stop'], 1, /is a part of a host \(process \d+\), which is not ended/],
    [['service', 'start'], 0, /as a part of a host \(process \d+\): hooks post there/],
    [['service', 'status'], 0, /as a part of a host/],
    [['run', '--', 'true'], 0, /no harness is set up/],
    [['remove', '--yes'], 0, /is a part of a host \(process \d+\), which is not ended/],
    [['remove', '--data', '--yes'], 1, /is left: .* is a part of a host/],
  ]
  for (const [argv, code, said] of cases) {
    const ran = await home.contextmd(...argv)
    expect([argv, ran.code, ran.out + ran.err]).toEqual([argv, code, expect.stringMatching(said)])
  }
  expect(await stopServer(home.paths, told)).toBe(false)
  const newer = await startOnce({ paths: home.paths, version: '999.0.0', command: ['/nothing'], env: {} })
  expect(newer).toMatchObject({ state: 'running', file: told })
  expect([host.isAlive(), readServerFile(home.paths.server)]).toEqual([true, told])
  expect(existsSync(home.paths.key)).toBe(true)
})

test('the script that starts a server at a session`s start starts none beside a host, of whatever version', () => {
  const { world, paths } = newHostHome()
  mkdirSync(paths.hooks, { recursive: true })
  const script = join(paths.hooks, 'contextmd-start.sh')
  writeFileSync(script, readFileSync(START))
  const [program, launcher] = [join(world.home, 'node'), join(world.home, 'bin', 'contextmd.js')]
  writeFileSync(program, `#!/bin/sh\n: >'${world.home}/started'\n`)
  chmodSync(program, 0o755)
  writeFileSync(launcher, '')
  writeFileSync(join(world.home, 'package.json'), '{\n  "version": "2.0.0",\n}\n')
  writeFileSync(join(paths.hooks, 'server.start'), `${program}\n${launcher}\n`)
  const start = (startedAs: string) => {
    const line = JSON.stringify({ pid: 1, address: 'http://127.0.0.1:9', version: '1.0.0', startedAt: 1, startedAs })
    execFileSync('sh', [script, line])
    return existsSync(join(world.home, 'started'))
  }
  expect(start('host')).toBe(false)
  // else it would have been one of an older version, to be replaced
  expect(start('background')).toBe(true)
})

test('a server beside may run: it says that both do, serves hooks that show the host`s token, and gives way again', async () => {
  const home = newHostHome()
  const host = await home.startHostProcess()
  const { stateDir } = home.world
  await home.told(host)
  const day = Date.now() + 86_400_000
  const kept = {
    base: join(home.world.home, '.t3'),
    stateDir,
    port: host.port,
    token: 't3_poster',
    issuedAt: 1,
    expiresAt: day,
    session: 's',
    hooksStarted: true,
  }
  keepHostToken(home.paths.data, kept)
  expect(await post(home, 't3_poster')).toBe(204)

  const { node, launcher } = ownProgram()
  const child = spawn(node, [launcher, 'serve', '--port', '0'], { env: home.env, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  await until(() => readServerFile(home.paths.server)?.startedAs === 'terminal')
  expect(await post(home, 't3_poster')).toBe(204)
  expect(await post(home, 't3_agent')).toBe(401)
  child.kill('SIGTERM')
  await ended
  expect(said).toMatch(/also a part of a host, at http:\/\/127\.0\.0\.1:\d+ \(process \d+\)/)
  await home.told(host)
  expect(host.isAlive()).toBe(true)
})

test('a server of a kind that is not known here is not ours to end', async () => {
  const home = newHostHome()
  const child = spawn('sleep', ['60'])
  onTestFinished(() => void child.kill())
  mkdirSync(home.paths.data, { recursive: true })
  const line = { pid: child.pid, address: 'http://127.0.0.1:1', version: '9.0.0', startedAt: 1, startedAs: 'a word of another version' }
  writeFileSync(home.paths.server, JSON.stringify(line))
  const file = readServerFile(home.paths.server)
  if (file === null) throw new Error('it is read all the same')
  expect(await stopServer(home.paths, file)).toBe(false)
  expect(child.killed || child.exitCode !== null || child.signalCode !== null).toBe(false)
})
