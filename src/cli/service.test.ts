/** `contextmd service` with a manager that is played: a program of its name that notes how it was called. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { readServerFile, writeServerFile } from '../server/server-file.ts'
import { findServer } from '../service/find.ts'
import { makeHome, type Home } from '../service/home.fixture.ts'
import { managerOf } from '../service/manager.ts'
import { ownProgram } from '../service/program.ts'
import { run, type Ran } from './run.fixture.ts'
import { explainFailure } from './run.ts'
import { runService } from './service.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

type Platform = 'linux' | 'darwin'
const PROGRAMS = { linux: 'systemctl', darwin: 'launchctl' } as const

interface Managed extends Home {
  readonly file: string
  service(...argv: string[]): Promise<Ran>
  calls(): readonly string[]
}

/** `fails`: calls that contain this end with 1. */
function withManager(platform: Platform, fails = 'nothing'): Managed {
  const home = makeHome()
  const [bin, note] = [join(home.folder, 'bin'), join(home.folder, 'calls')]
  mkdirSync(bin)
  const script = `#!/bin/sh\necho "$*" >>'${note}'\ncase "$*" in *${fails}*) echo "no bus" >&2; exit 1 ;; esac\n`
  writeFileSync(join(bin, PROGRAMS[platform]), script, { mode: 0o755 })
  const env = { ...home.env, PATH: `${bin}:${home.env['PATH']}` }
  return {
    ...home,
    file: managerOf(platform, env, 501)?.file ?? '',
    calls: () => (existsSync(note) ? readFileSync(note, 'utf8').trimEnd().split('\n') : []),
    async service(...argv) {
      let [out, err] = ['', '']
      const io = { stdout: { write: (text: string) => (out += text) }, stderr: { write: (text: string) => (err += text) }, env }
      const code = await runService(argv, io, platform).catch((error: unknown) => explainFailure(error, io, 'service'))
      return { code, out, err }
    },
  }
}

describe.each(['linux', 'darwin'] as const)('on %s', (platform) => {
  test('install writes the file with absolute paths and hands it over; again changes nothing in it', async () => {
    const home = withManager(platform)
    expect((await home.service('install')).out).toContain(`Written: ${home.file}`)
    const text = readFileSync(home.file, 'utf8')
    for (const part of [ownProgram().node, ownProgram().launcher, '--as']) expect(text).toContain(part)
    expect(home.calls()).toEqual(expect.arrayContaining([expect.stringMatching(/restart contextmd\.service|bootstrap gui/)]))
    const before = statSync(home.file).mtimeMs
    expect((await home.service('install')).out).toContain('Already there')
    expect(statSync(home.file).mtimeMs).toBe(before)
  })

  test('a file of an older version is renewed', async () => {
    const home = withManager(platform)
    await home.service('install')
    const text = readFileSync(home.file, 'utf8')
    writeFileSync(home.file, text.replace(ownProgram().node, '/old/node'))
    expect((await home.service('install')).out).toContain('Renewed')
    expect(readFileSync(home.file, 'utf8')).toBe(text)
  })

  test('--dry-run shows all and does nothing', async () => {
    const home = withManager(platform)
    expect((await home.service('install', '--dry-run')).out).toContain(home.file)
    expect([existsSync(home.file), home.calls()]).toEqual([false, []])
    await home.service('install')
    const calls = home.calls()
    expect((await home.service('remove', '--dry-run')).out).toContain(`Would delete ${home.file}`)
    expect([existsSync(home.file), home.calls()]).toEqual([true, calls])
  })

  test('remove ends the service while its file is there, and deletes it', async () => {
    const home = withManager(platform)
    await home.service('install')
    expect((await home.service('remove')).out).toContain(`Deleted: ${home.file}`)
    expect(existsSync(home.file)).toBe(false)
    expect(home.calls().join('\n')).toMatch(/disable --now contextmd\.service|bootout gui\/\d+\/contextmd/)
    expect((await home.service('remove')).out).toBe('No service of ours is installed.\n')
  })

  test('a file of that name that is not ours stays as it is', async () => {
    const home = withManager(platform)
    mkdirSync(dirname(home.file), { recursive: true })
    writeFileSync(home.file, 'mine')
    expect(await home.service('install')).toMatchObject({ code: 1, err: expect.stringContaining('not ours') })
    expect(await home.service('remove')).toMatchObject({ code: 1, out: expect.stringContaining('stays') })
    expect([readFileSync(home.file, 'utf8'), home.calls()]).toEqual(['mine', []])
  })

  test('a manager that can not be reached leaves the calls to the person', async () => {
    const home = withManager(platform, platform === 'linux' ? 'show-environment' : 'print')
    const { code, out } = await home.service('install')
    expect([code, existsSync(home.file)]).toEqual([0, true])
    expect(out).toContain(`can't be asked from here (no bus)`)
    expect(out).toMatch(/^ {2}(systemctl --user restart contextmd\.service|launchctl bootstrap gui\/\d+ '?\/.*contextmd\.plist'?)$/m)
    expect((await home.service('remove')).out).toContain('If it runs, type this')
    expect(existsSync(home.file)).toBe(false)
  })

  test('a call that fails is named', async () => {
    const home = withManager(platform, platform === 'linux' ? 'enable' : 'bootstrap')
    expect((await home.service('install')).out).toMatch(/(enable contextmd\.service|bootstrap gui.*): no bus/)
  })
})

test.runIf(process.platform === 'linux')(
  'a service of another data folder is not waited for: this one gets a server of its own',
  async () => {
    const home = withManager('linux')
    await home.service('install')
    const elsewhere = { CONTEXTMD_DATA: join(home.folder, 'other') }
    const PATH = `${join(home.folder, 'bin')}:${home.env['PATH']}`
    const before = home.calls()
    const started = await home.contextmd(['service', 'start'], { env: { ...elsewhere, PATH } })
    const stopped = await home.contextmd(['service', 'stop'], { env: elsewhere })
    expect([started.code, stopped.out, home.calls()]).toEqual([0, expect.stringContaining('has ended'), before])
  },
)

test.runIf(process.platform === 'linux')('an older server of a service that names another package is told, with what to do', async () => {
  const home = withManager('linux', '--user?start')
  await home.service('install')
  writeFileSync(home.file, readFileSync(home.file, 'utf8').replace(ownProgram().launcher, '/old/bin/contextmd.js'))
  expect((await home.service('start')).code).toBe(0)
  const file = readServerFile(home.paths.server)
  if (file === null) throw new Error('no server')
  writeServerFile(home.paths.server, { ...file, version: '0.0.1', startedAs: 'service' })
  expect(await home.service('start')).toMatchObject({ code: 0, out: expect.stringContaining('contextmd service install') })
  expect(readServerFile(home.paths.server)?.pid).toBe(file.pid)
})

test('a manager that is not there at all is no failure', async () => {
  const home = makeHome()
  const { code, out } = await home.contextmd(['service', 'install'], { env: { PATH: '/nowhere' } })
  expect([code, out]).toEqual([0, expect.stringContaining('systemctl --user enable contextmd.service')])
})

test.runIf(process.platform === 'linux')('`contextmd remove` takes the service back too', async () => {
  const home = withManager('linux')
  await home.service('install')
  expect(await run(['remove'], home.env)).toMatchObject({ code: 0, out: expect.stringContaining(`Deleted: ${home.file}`) })
  expect(existsSync(home.file)).toBe(false)
})

test('a system without a manager that we know', async () => {
  const io = { stdout: { write: () => {} }, stderr: { write: () => {} }, env: {} }
  await expect(runService(['install'], io, 'win32')).rejects.toThrow('no service manager here')
})

test('start, status and stop of a server in the background', async () => {
  const home = makeHome()
  expect(await run(['service', 'status'], home.env)).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^server +does not run\nservice +not installed/),
  })
  expect(await run(['service', 'start'], home.env)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^ContextMD serves at .*background/),
  })
  expect(await run(['service', 'start'], home.env)).toMatchObject({ code: 0, out: expect.stringMatching(/^It runs already/) })
  expect(await run(['service', 'status'], home.env)).toMatchObject({ code: 0, out: expect.stringContaining('ends itself when idle') })
  expect(await run(['service', 'stop'], home.env)).toMatchObject({ code: 0, out: expect.stringContaining('has ended') })
  expect(await findServer(home.paths)).toEqual({ state: 'none' })
  expect(await run(['service', 'stop'], home.env)).toMatchObject({ code: 0, out: 'No server of ours runs here.\n' })
})

test.each([
  [[], 'One of: install'],
  [['instal'], 'did you mean install?'],
  [['install', 'now'], 'one word too many'],
  [['status', '--dry-run'], '--dry-run does not go with status'],
])('%j is a wrong call', async (argv, says) => {
  expect(await run(['service', ...argv])).toMatchObject({ code: 64, err: expect.stringContaining(says) })
})

test('removing all ends the server that hooks have started', async () => {
  const home = makeHome()
  expect((await home.contextmd(['service', 'start'])).code).toBe(0)
  const removed = await home.contextmd(['remove'])
  expect(removed).toMatchObject({ code: 0, out: expect.stringContaining('The server in the background is ended.') })
  expect(await findServer(home.paths)).toEqual({ state: 'none' })
})
