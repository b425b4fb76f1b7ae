import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readServerFile } from '../server/server-file.ts'
import { temporaryPaths } from '../server/with-server.fixture.ts'
import { run } from './run.fixture.ts'

// each test starts programs, on a busy machine for seconds
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const LAUNCHER = fileURLToPath(new URL('../../bin/contextmd.js', import.meta.url))
const SERVES = fileURLToPath(new URL('serves.fixture.ts', import.meta.url))

function start(data: string, ...argv: string[]) {
  return watch(spawn(process.execPath, [SERVES, ...(argv.length === 0 ? ['0'] : argv)], { env: { ...process.env, CONTEXTMD_DATA: data } }))
}

function watch(child: ChildProcessWithoutNullStreams) {
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (out += String(text)))
  child.stderr.setEncoding('utf8').on('data', (text) => (out += String(text)))
  const ended = once(child, 'close').then(([code, signal]) => ({ code: code as number | null, signal: signal as string | null, out })) // as Node documents
  return { child, ended, started: once(child.stdout, 'data').then(() => out) }
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends it cleanly, also when it comes twice', async (signal) => {
  const paths = temporaryPaths()
  const { child, ended, started } = start(paths.data)
  const line = await started
  const address = readServerFile(paths.server)?.address ?? 'none'
  for (const part of [address, paths.state, paths.ownToken, '/home/dev/rules', 'Ctrl+C']) expect(line).toContain(part)
  expect(line.trim().split('\n')).toHaveLength(1)
  child.kill(signal)
  child.kill(signal)
  // who asked for it from elsewhere is not at this terminal
  const told = signal === 'SIGTERM' ? 'Asked to end: it ends.\n' : ''
  expect(await ended).toEqual({ code: 0, signal: null, out: line + told })
  expect(existsSync(paths.server)).toBe(false)
})

test('in the background it takes a free port where its own is in use, writes its log, and ends when no moment comes', async () => {
  const stranger = createServer()
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void stranger.close())
  const port = String((stranger.address() as AddressInfo).port) // it listens on a port
  const { ended, paths } = startProgram('--as', 'background', '--idle', '1s', '--port', port)
  expect(await ended).toEqual({ code: 0, signal: null, out: '' })
  const log = readFileSync(paths.log, 'utf8')
  expect(log).toMatch(
    /port \d+ is in use .* A free one is taken instead\.\n.* ContextMD serves at http:.*\n(.*\n)*.*No moment came for long/,
  )
  expect(existsSync(paths.server)).toBe(false)
})

test.each([
  ['--as', 'daemon'],
  ['--idle', 'never'],
])('%s %s is a wrong call', async (...argv) => {
  expect(await run(['serve', ...argv])).toMatchObject({ code: 64, err: expect.stringContaining(argv[0] ?? '') })
})

test('it ends while a client follows the log, and the client is told', async () => {
  const paths = temporaryPaths()
  const { child, ended, started } = start(paths.data)
  await started
  const asked = Promise.withResolvers<void>()
  const following = run(['log', '--follow', '--limit', '0'], { CONTEXTMD_DATA: paths.data }, false, () => asked.resolve())
  // The head of the table is written right before the stream is asked for; it is open when a request after it was answered.
  await asked.promise
  expect((await run(['health'], { CONTEXTMD_DATA: paths.data })).code).toBe(0)
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
  expect(await following).toMatchObject({ code: 0, err: 'The server has ended the stream.\n' })
})

test('a second start on the same state names the first: 0, or 1 if another port was asked for', async () => {
  const paths = temporaryPaths()
  const first = start(paths.data)
  await first.started
  const address = readServerFile(paths.server)?.address ?? 'none'
  const second = await start(paths.data, '0', 'busy').ended
  expect(second).toMatchObject({ code: 0, out: expect.stringContaining(address) })
  expect(second.out.trim().split('\n')).toHaveLength(1)
  expect(await start(paths.data, new URL(address).port, 'busy').ended).toMatchObject({ code: 0 })
  expect(await start(paths.data, '1', 'busy').ended).toMatchObject({ code: 1 })
  first.child.kill('SIGTERM')
  expect((await first.ended).code).toBe(0)
})

test('after a kill the file that stays behind names no running server', async () => {
  const paths = temporaryPaths()
  const { child, ended, started } = start(paths.data)
  await started
  child.kill('SIGKILL')
  await ended
  expect(readServerFile(paths.server)).not.toBeNull()
  expect(await run(['log'], { CONTEXTMD_DATA: paths.data })).toMatchObject({ code: 1, err: expect.stringContaining('contextmd serve') })
})

/** The whole program, as a person starts it, with an empty home. */
function startProgram(...argv: string[]) {
  const paths = temporaryPaths()
  const env = { PATH: process.env['PATH'], HOME: dirname(paths.data), CONTEXTMD_DATA: paths.data }
  const child = spawn(process.execPath, [LAUNCHER, 'serve', ...argv], { env })
  return { ...watch(child), paths, env }
}

async function postMoment(address: string, token: string): Promise<number> {
  const event = { hook_event_name: 'UserPromptSubmit', session_id: 's1', cwd: '/home/dev', prompt_id: 'p1', prompt: 'hello' }
  const headers = { authorization: `Bearer ${token}` }
  const url = `${address}/contextmd/v1/moment?harness=claude-code`
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(event) })).status
}

test('the program serves, logs, and ends cleanly', async () => {
  const { child, ended, started, paths, env } = startProgram('--port', '0')
  const line = await started
  expect(line).toMatch(/^ContextMD serves at http:\/\/127\.0\.0\.1:\d+ .*\n$/)
  const { out: token } = await run(['token', 'issue'], env)
  expect(await postMoment(readServerFile(paths.server)?.address ?? '', token.trim())).toBe(204)
  expect((await run(['log'], env)).out).toMatch(/claude-code {2}UserPromptSubmit +nothing/)
  expect(await run(['health'], env)).toMatchObject({ code: 0, out: expect.stringMatching(/^serving, /) })
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0, signal: null, out: expect.stringContaining(line) })
})

test('S1: the program with a corrupt state says so, lets every moment pass, and health is exit code 1', async () => {
  const broken = temporaryPaths()
  mkdirSync(broken.data, { recursive: true })
  writeFileSync(broken.state, 'this is no database '.repeat(1_000))
  const env = { PATH: process.env['PATH'], HOME: dirname(broken.data), CONTEXTMD_DATA: broken.data }
  const { child, ended, started } = watch(spawn(process.execPath, [LAUNCHER, 'serve', '--port', '0'], { env }))
  await started
  const { out: token } = await run(['token', 'issue'], env)
  expect(await postMoment(readServerFile(broken.server)?.address ?? '', token.trim())).toBe(204)
  expect(await run(['health'], env)).toMatchObject({ code: 1, out: expect.stringContaining('DISABLED') })
  child.kill('SIGTERM')
  const { code, out } = await ended
  expect(code).toBe(0)
  expect(out).toContain(broken.state)
  expect(out).not.toMatch(/^\s+at /m)
})

test('a port in use by a stranger is one line that names it and what to do, and exit code 1', async () => {
  const stranger = createServer()
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void stranger.close())
  const port = String((stranger.address() as AddressInfo).port) // it listens on a port
  const { ended } = startProgram('--port', port)
  expect(await ended).toEqual({
    code: 1,
    signal: null,
    out: expect.stringMatching(new RegExp(`^contextmd: port ${port} is in use .*--port.*\n$`)),
  })
})

test.each(['x', '-1', '65536', '1.5', ''])('--port=%s is a wrong call', async (port) => {
  expect(await run(['serve', `--port=${port}`])).toMatchObject({ code: 64, err: expect.stringContaining('--port') })
})
