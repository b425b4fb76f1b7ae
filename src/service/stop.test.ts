import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { readServerFile } from '../server/server-file.ts'
import { makeHome, until, type Home } from './home.fixture.ts'

/** A server in a terminal: it mends its `server.json` some time, so whoever asks meets the changed one or the mended one. */
async function serve({ paths, contextmd }: Home): Promise<void> {
  void contextmd(['serve', '--port', '0'])
  await until(() => readServerFile(paths.server) !== null)
}

async function bystander() {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  return child
}

test('a server.json that names a process of somebody else: the server is ended and not that one', async () => {
  const home = makeHome()
  await serve(home)
  const { server } = home.paths
  const other = await bystander()
  writeFileSync(server, readFileSync(server, 'utf8').replace(/"pid":\d+/, `"pid":${other.pid}`))
  expect((await home.contextmd(['service', 'stop'])).out).toContain('has ended')
  expect([other.exitCode, other.signalCode]).toEqual([null, null])
})

test('a server.json that names what can not be: no command crashes', async () => {
  const home = makeHome()
  await serve(home)
  const { server } = home.paths
  const text = readFileSync(server, 'utf8')
  for (const changed of [text.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:99999'), text.replace(/"pid":\d+/, '"pid":-1')]) {
    for (const words of [['service', 'status'], ['health']]) {
      writeFileSync(server, changed)
      const { code, err } = await home.contextmd(words)
      expect([0, 1]).toContain(code)
      expect(err).not.toMatch(/Error|at .*\.ts/)
    }
  }
})
