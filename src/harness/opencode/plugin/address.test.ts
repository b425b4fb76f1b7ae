/** Which server the plugin posts to, and that nobody else gets the token or an event; and how it starts one. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { closedPort, nameServer, playServer } from '../../../service/hook.fixture.ts'
import { makeHome, until } from '../../../service/home.fixture.ts'
import { Address } from './address.ts'
import { Server } from './server.ts'
import { startServer } from './start.ts'

const KEY = 'fedcba9876543210'.repeat(4)
/** Generous, since nothing is measured here. */
const MS = 20_000

function place() {
  const home = makeHome()
  mkdirSync(home.paths.hooks, { recursive: true })
  writeFileSync(home.paths.key, `${KEY}\n`)
  const headerFile = join(home.paths.hooks, 'opencode.header')
  writeFileSync(headerFile, 'authorization: Bearer cmd_secret\n')
  const at = (port: number, env: NodeJS.ProcessEnv = {}) => new Address({ port, hooksFolder: home.paths.hooks, env })
  return { ...home, headerFile, at }
}

describe('the address', () => {
  test('is the port of setup, once it has proven itself, and is not asked for again', async () => {
    const home = place()
    const server = await playServer(true)
    nameServer(home, server.port)
    const address = home.at(server.port)
    expect(await Promise.all([address.find(MS), address.find(MS), address.find(MS)])).toEqual([server.port, server.port, server.port])
    expect(server.proofs).toBe(1)
    nameServer(home, server.port, { version: '1.0.1' })
    await address.find(MS)
    expect(server.proofs).toBe(2)
  })

  test('is asked for again where server.json was written anew, with the very same words too', async () => {
    const home = place()
    const server = await playServer(true)
    nameServer(home, server.port)
    const address = home.at(server.port)
    await address.find(MS)
    const again = `${home.paths.server}.next`
    writeFileSync(again, readFileSync(home.paths.server))
    renameSync(again, home.paths.server)
    expect(await address.find(MS)).toBe(server.port)
    expect(server.proofs).toBe(2)
    await address.find(MS)
    expect(server.proofs).toBe(2)
  })

  test('is another port where server.json says so; a stranger at the first gets neither token nor event', async () => {
    const home = place()
    const [stranger, server] = [await playServer(false), await playServer(true)]
    const posting = new Server({ address: home.at(stranger.port), headerFile: home.headerFile })
    expect(await posting.moment({ typed: 'a' }, MS, false)).toEqual({ ok: false, cause: 'refused' })
    nameServer(home, server.port)
    expect(await posting.moment({ typed: 'b' }, MS, false)).toMatchObject({ ok: true })
    expect([stranger.proofs, stranger.posted, server.posted.length]).toEqual([2, [], 1])
    expect(server.posted.join()).toContain('"contextmd-missed":"refused=1"')
  })

  test('S8: what is refused while a server is being started is told apart', async () => {
    const home = place()
    const posting = new Server({ address: home.at(await closedPort()), headerFile: home.headerFile })
    // the start is noticed after the first moment was posted
    await posting.moment({ typed: 'a' }, MS, false)
    posting.starts()
    await posting.moment({ typed: 'b' }, MS, false)
    const server = await playServer(true)
    nameServer(home, server.port)
    await posting.moment({ typed: 'c' }, MS, false)
    expect(server.posted.join()).toContain('"contextmd-missed":"starting=2"')
  })

  test('is none where nobody listens, without a key, and of a process that is gone', async () => {
    const home = place()
    const server = await playServer(true)
    expect(await home.at(await closedPort()).find(MS)).toBeNull()
    nameServer(home, server.port, { pid: 2 ** 22 + 1 })
    expect(await home.at(await closedPort()).find(MS)).toBeNull()
    rmSync(home.paths.key)
    expect(await home.at(server.port).find(MS)).toBeNull()
  })

  test('under `contextmd run` is that of its server', async () => {
    const home = place()
    const [own, ofRun] = [await playServer(true), await playServer(true)]
    const folder = join(home.folder, 'run')
    nameServer(home, own.port)
    nameServer(home, ofRun.port, { folder })
    writeFileSync(join(folder, 'server.key'), `${KEY}\n`)
    const address = home.at(await closedPort(), { CONTEXTMD_DATA: folder })
    expect([await address.find(MS), address.isOwn]).toEqual([ofRun.port, false])
  })
})

describe('starting', () => {
  /** The program notes how it was called. */
  function startable(text?: string) {
    const folder = mkdtempSync(join(tmpdir(), 'contextmd-start-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
    const note = join(folder, 'note')
    mkdirSync(join(folder, 'package', 'bin'), { recursive: true })
    writeFileSync(join(folder, 'package', 'package.json'), '{"version":"1.2.3"}')
    const launcher = join(folder, 'package', 'bin', 'contextmd.js')
    writeFileSync(launcher, `require('fs').writeFileSync(${JSON.stringify(note)}, JSON.stringify([process.argv.slice(2), process.env]))`)
    writeFileSync(join(folder, 'server.start'), text ?? `${process.execPath}\n${launcher}\nHOME=/home/dev\nA=b=c\n`)
    return { folder, note, launcher }
  }

  test('calls the package, with the environment of setup alone', async () => {
    const { folder, note } = startable()
    startServer(folder, '{"version":"1.2.2"}')
    await until(() => existsSync(note) && readFileSync(note, 'utf8') !== '')
    const [argv, env] = JSON.parse(readFileSync(note, 'utf8'))
    expect([argv, env]).toEqual([['service', 'start'], { HOME: '/home/dev', A: 'b=c' }])
  })

  test('does nothing for one of the same version, where it is not wanted, and where the package is gone (S16)', () => {
    const { folder, launcher, note } = startable()
    startServer(folder, '{"version":"1.2.3"}')
    rmSync(launcher)
    startServer(folder, '')
    startServer(startable('').folder, '')
    startServer('/nowhere', '')
    expect(existsSync(note)).toBe(false)
  })

  test('a program that is missing throws nothing', () => {
    const { folder, launcher } = startable()
    writeFileSync(join(folder, 'server.start'), `/nowhere/node\n${launcher}\n`)
    expect(() => startServer(folder, '')).not.toThrow()
  })
})
