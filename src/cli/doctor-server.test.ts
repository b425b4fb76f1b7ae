import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Finding } from '../doctor/finding.ts'
import { writeServerFile } from '../server/server-file.ts'
import { letHooksStart } from '../service/start-file.ts'
import { Machine } from './doctor.fixture.ts'
import { examineServer } from './doctor-server.ts'
import { runCommandLine } from './run.ts'
import { readVersion } from './version.ts'

vi.setConfig({ testTimeout: 120_000 })

let at: Machine

beforeEach(() => {
  at = new Machine()
})

afterEach(() => at.end())

const examine = (version = readVersion()) => examineServer(at.io, at.paths, version, at.tokens)
const of = (findings: readonly Finding[], id: string) => findings.filter((finding) => finding.id === id)

test('no server: broken, unless hooks start it when it is needed', async () => {
  const { findings, port, missed } = await examine()
  expect(of(findings, 'server')).toMatchObject([{ level: 'bad', cure: expect.stringContaining('contextmd serve') }])
  expect({ port, missed }).toEqual({ port: null, missed: null })
  await at.setUp('grok')
  expect(of((await examine()).findings, 'server')).toMatchObject([{ level: 'bad' }])
  letHooksStart(at.paths, { wanted: true, env: at.env })
  expect(of((await examine()).findings, 'server')).toMatchObject([{ level: 'warn', what: expect.stringContaining('hooks start it') }])
})

test('a stranger on the port is told, and is asked nothing but for its proof', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url?.split('?')[0] ?? '')
    response.end('hello')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // a TCP server has one
  mkdirSync(at.paths.data, { recursive: true })
  writeServerFile(at.paths.server, {
    pid: process.pid,
    address: `http://127.0.0.1:${port}`,
    version: '0',
    startedAt: 0,
    startedAs: 'terminal',
  })
  const { findings } = await examine()
  expect(of(findings, 'server')).toMatchObject([{ level: 'bad', what: expect.stringContaining(`can't show that it is ContextMD`) }])
  expect(asked.filter((path) => !path.endsWith('/proof'))).toEqual([])
})

test('a server that serves; one that is switched off; one of another version', async () => {
  await at.serve()
  await at.setUp('grok')
  const { findings, port } = await examine()
  expect(port).toBe(at.port)
  for (const id of ['server', 'serving', 'stores', 'state']) expect(of(findings, id)).toMatchObject([{ level: 'ok' }])
  at.server?.engine.off(null)
  expect(of((await examine('9.9.9')).findings, 'serving')).toMatchObject([{ level: 'warn', what: 'switched off', cure: 'contextmd on' }])
  expect(of((await examine('9.9.9')).findings, 'server')).toMatchObject([{ level: 'warn', what: expect.stringContaining('this is 9.9.9') }])
})

test('S3: problems that the server knows are findings with their file', async () => {
  await at.serve()
  await at.setUp('grok')
  at.write(`${at.paths.config}/rules/bad.md`, '---\ntitle: x\nwhen:\n  - commnd: git push\n---\nx\n')
  const { findings } = await examine()
  expect(of(findings, 'entry_unknown_key')).toMatchObject([{ level: 'bad', what: expect.stringMatching(/bad\.md:4: /) }])
})

test('the whole command: JSON for programs, words for people, exit code 1 where something is broken', async () => {
  const told = { out: '', err: '' }
  const stdout = { write: (text: string) => (told.out += text) }
  const stderr = { write: (text: string) => (told.err += text) }
  expect(await runCommandLine(['doctor', '--json'], { stdout, stderr, env: at.env })).toBe(1)
  const { findings } = JSON.parse(told.out)
  expect(findings).toContainEqual({ harness: null, cure: expect.any(String), id: 'server', level: 'bad', what: expect.any(String) })
  told.out = ''
  expect(await runCommandLine(['doctor'], { stdout, stderr, env: at.env })).toBe(1)
  expect(told.out).toMatch(/Server and machine\n {2}BAD {2}server: .*\n {9}\S.*\n/)
  expect(told.out).toMatch(/\n\d+ bad, \d+ to look at\./)
})
