/** What a hook starts, and what it does not. The program that is started only notes that it was, and with what. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { closedPort, linesOf, makeHookHome, nameServer, playServer, watchStartScripts, type HookHome } from './hook.fixture.ts'
import { until } from './home.fixture.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

interface Startable extends HookHome {
  /** Lines that the started program wrote. */
  started(): readonly string[]
  readonly lock: string
  /** Ends the program, which otherwise waits. */
  finish(): void
  /** Resolves when that many start scripts have come to their end since the beginning. */
  scriptsEnded(count: number): Promise<void>
}

/** A package whose launcher is a shell script. It waits until it may end, as a start that takes its time. */
function startable(isSlow = false): Startable {
  const home = makeHookHome()
  const folder = join(home.folder, 'our package')
  const [note, gate] = [join(home.folder, 'note'), join(home.folder, 'gate')]
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{\n  "name": "contextmd",\n  "version": "1.2.3",\n  "type": "module"\n}\n')
  const launcher = join(folder, 'bin', 'contextmd.js')
  const wait = isSlow ? `while [ ! -e '${gate}' ]; do sleep 0.05; done` : ''
  writeFileSync(launcher, `echo "$* $(env | sort | tr '\\n' ' ')" >>'${note}'\n${wait}\n`)
  writeFileSync(
    join(home.paths.hooks, 'server.start'),
    `/bin/sh\n${launcher}\nHOME=${home.folder}\nCONTEXTMD_DATA=${home.paths.data}\nA=b c=d $x\n`,
  )
  const scripts = watchStartScripts(home)
  return {
    ...home,
    hook: (port, { start = false, env = {} } = {}) => home.hook(port, { start, env: { PATH: scripts.PATH, ...env } }),
    scriptsEnded: (count) => scripts.ended(count),
    started: () => linesOf(note),
    lock: join(home.paths.hooks, 'starting'),
    finish: () => writeFileSync(gate, ''),
  }
}

test('a session start without a server starts it: this call goes on with nothing, and is counted as one while it starts', async () => {
  const home = startable()
  expect(await home.hook(await closedPort(), { start: true })).toMatchObject({ code: 0, out: '', err: '' })
  await until(() => home.started().length > 0)
  expect(readFileSync(join(home.paths.hooks, 'claude-code.missed'), 'utf8')).toBe('0 0 1\n')
})

test('S8: what is refused while the server starts is told apart from what is refused later', async () => {
  const home = startable(true)
  const port = await closedPort()
  const counts = () => readFileSync(join(home.paths.hooks, 'claude-code.missed'), 'utf8')
  await home.hook(port, { start: true })
  await until(() => home.started().length > 0)
  await home.hook(port)
  expect(counts()).toBe('0 0 2\n')
  home.finish()
  await home.scriptsEnded(1)
  await home.hook(port)
  expect(counts()).toBe('0 1 2\n')
  const server = await playServer(true)
  nameServer(home, server.port, { version: '1.2.3' })
  expect((await home.hook(server.port)).out).not.toBe('')
  expect(counts()).toBe('0 0 0\n')
})

test('with the environment of setup, and nothing of the agent', async () => {
  const home = startable()
  const env = { ANTHROPIC_API_KEY: 'sk-secret', HTTP_PROXY: 'http://proxy', NODE_OPTIONS: '--inspect', CLAUDECODE: '1' }
  await home.hook(await closedPort(), { start: true, env })
  await until(() => home.started().length > 0)
  const [line = ''] = home.started()
  expect(line).toMatch(/^service start /)
  for (const part of [`HOME=${home.folder}`, `CONTEXTMD_DATA=${home.paths.data}`, 'A=b c=d $x']) expect(line).toContain(part)
  expect(line).not.toMatch(/sk-secret|HTTP_PROXY|NODE_OPTIONS|CLAUDECODE/)
})

test('S7: of twenty hooks at once one starts one process', async () => {
  const home = startable(true)
  const port = await closedPort()
  const hooks = Array.from({ length: 20 }, () => home.hook(port, { start: true }))
  expect((await Promise.all(hooks)).every(({ code, out }) => code === 0 && out === '')).toBe(true)
  // all but the one that holds the lock
  await home.scriptsEnded(19)
  home.finish()
  await home.scriptsEnded(20)
  expect(home.started()).toHaveLength(1)
})

describe('nothing is started', () => {
  test('by another moment than a session start, for a person who switched it off, under another data folder', async () => {
    const home = startable()
    const port = await closedPort()
    await home.hook(port)
    await home.hook(port, { start: true, env: { CONTEXTMD_OFF: '1' } })
    await home.hook(port, { start: true, env: { CONTEXTMD_DATA: join(home.folder, 'elsewhere') } })
    // the next one is the first
    await home.hook(port, { start: true })
    await home.scriptsEnded(1)
    expect(home.started()).toHaveLength(1)
  })

  test('where one of the same version runs', async () => {
    const home = startable()
    const server = await playServer(true)
    nameServer(home, server.port, { version: '1.2.3' })
    await home.hook(server.port, { start: true })
    await home.hook(server.port, { start: true })
    await home.scriptsEnded(2)
    expect([home.started(), server.posted.length]).toEqual([[], 2])
  })

  test.each([
    ['is empty: the person does not want it', ''],
    ['is cut off', '/bin/sh\n'],
  ])('where the file %s', async (_, text) => {
    const home = startable()
    writeFileSync(join(home.paths.hooks, 'server.start'), text)
    expect(await home.hook(await closedPort(), { start: true })).toMatchObject({ code: 0, out: '', err: '' })
    await home.scriptsEnded(1)
    expect(home.started()).toEqual([])
    expect(readFileSync(join(home.paths.hooks, 'claude-code.missed'), 'utf8')).toBe(text === '' ? '0 1 0\n' : '0 0 1\n')
  })

  test('S16: where the package is gone, and that is no deny', async () => {
    const home = startable()
    rmSync(join(home.folder, 'our package'), { recursive: true })
    expect(await home.hook(await closedPort(), { start: true })).toMatchObject({ code: 0, out: '', err: '' })
    rmSync(join(home.paths.hooks, 'contextmd-start.sh'))
    expect(await home.hook(await closedPort(), { start: true })).toMatchObject({ code: 0, out: '', err: '' })
    await home.scriptsEnded(2)
    expect(home.started()).toEqual([])
  })
})

test('where one of another version runs, the package is asked which is newer, and the moment goes to the one that runs', async () => {
  const home = startable()
  const server = await playServer(true)
  nameServer(home, server.port, { version: '1.2.30' })
  expect((await home.hook(server.port, { start: true })).out).not.toBe('')
  await until(() => home.started().length > 0)
  expect(server.posted).toHaveLength(1)
})

test('a stranger at the port does not keep ours from being started', async () => {
  const home = startable()
  const stranger = await playServer(false)
  nameServer(home, stranger.port, { version: '1.2.3' })
  await home.hook(stranger.port, { start: true })
  await until(() => home.started().length > 0)
  expect(stranger.posted).toEqual([])
})

describe('a lock that was left behind', () => {
  test.each([
    ['by a process that is gone', `${2 ** 22 + 1}\n`],
    ['with garbage in it', 'x y\n'],
  ])('%s is taken over', async (_, text) => {
    const home = startable()
    writeFileSync(home.lock, text)
    await home.hook(await closedPort(), { start: true })
    await home.scriptsEnded(1)
    expect([home.started().length, existsSync(home.lock)]).toEqual([1, false])
  })

  test.each([
    ['whose number is another process`s by now', `${process.pid}\n`],
    ['that is empty', ''],
  ])('%s is taken over once it is old', async (_, text) => {
    const home = startable()
    const port = await closedPort()
    writeFileSync(home.lock, text)
    await home.hook(port, { start: true })
    await home.scriptsEnded(1)
    utimesSync(home.lock, new Date(0), new Date(0))
    await home.hook(port, { start: true })
    await home.scriptsEnded(2)
    expect(home.started()).toHaveLength(1)
  })
})

test('the scripts need nothing but a shell', async () => {
  const home = startable()
  chmodSync(join(home.paths.hooks, 'contextmd-start.sh'), 0o600)
  await home.hook(await closedPort(), { start: true, env: { PATH: await home.pathOf('curl', 'sha256sum', 'sh', 'env', 'rm') } })
  await until(() => home.started().length > 0)
})
