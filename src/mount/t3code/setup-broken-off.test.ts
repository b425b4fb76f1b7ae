/** What setup and remove leave of a host's token: it is never lost without a word, and none is made that nobody wants. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { tokenInHookFiles } from '../../install/hook-scripts.ts'
import { keepHostToken, readHostToken } from '../../install/host-token.ts'
import { isAlive, readServerFile } from '../../server/server-file.ts'
import { createCredential } from './host-auth.fixture.ts'
import { newHostHome, type HostHome } from './host-home.fixture.ts'

// each test starts processes, on a busy machine for seconds
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const DAY_MS = 24 * 60 * 60 * 1_000

const keptIn = ({ paths }: HostHome) => readHostToken(paths.data)

/** As if so many days were left. */
function age(home: HostHome, days: number): void {
  const kept = keptIn(home)
  if (kept !== null) keepHostToken(home.paths.data, { ...kept, expiresAt: Date.now() + days * DAY_MS })
}

async function hostInUse(): Promise<HostHome> {
  const home = newHostHome()
  await home.told(await home.startHost())
  expect((await home.contextmd('setup', 'grok')).code).toBe(0)
  return home
}

test('T15: a token that is renewed, or that another host`s one replaces, is named with the call that revokes it', async () => {
  const home = await hostInUse()
  const first = keptIn(home)
  age(home, 3)
  expect((await home.contextmd('setup', 'grok')).out).toContain(`end it in the host as well: t3 auth session revoke ${first?.session}\n`)
  const second = keptIn(home)
  expect(second?.session).not.toBe(first?.session)

  const base = join(home.world.home, 'other t3')
  const stateDir = join(base, 'userdata')
  mkdirSync(stateDir, { recursive: true })
  await home.startHost('', { stateDir, database: home.world.database })
  const over = await home.contextmd('setup', 'grok', '--base', base)
  expect(over.out).toContain(
    `of the host of ${second?.base}, is no longer used; to end it in the host as well: t3 auth session revoke ${second?.session}\n`,
  )
  const third = keptIn(home)
  expect(third?.base).toBe(base)
  // that one is not where the host's program looks by itself
  const back = await home.contextmd('setup', 'grok', '--no-inside')
  expect(back.out).toContain(`t3 auth session revoke ${third?.session} --base-dir '${base}'\n`)
})

test('a host is the same one by whatever path its folder is named', async () => {
  const home = await hostInUse()
  const before = keptIn(home)
  const link = join(home.world.home, 'link')
  symlinkSync(join(home.world.home, '.t3'), link)
  const named = await home.contextmd('setup', 'grok', '--base', link)
  expect([named.code, keptIn(home)]).toEqual([0, before])
  home.env['T3CODE_HOME'] = link
  const again = await home.contextmd('setup', 'grok')
  expect([again.code, keptIn(home)]).toEqual([0, before])
  // its own program finds it by itself
  age(home, 3)
  expect((await home.contextmd('setup', 'grok', '--inside')).out).toMatch(/t3 auth session revoke session-\S+\n/)
})

test('a host in which ContextMD is disabled is told from one without it, and from one of another data folder', async () => {
  const home = newHostHome()
  await home.startHost()
  // the first one has the state
  await home.startHost()
  const disabled = await home.contextmd('setup', 'grok', '--inside')
  expect(disabled).toMatchObject({ code: 1, err: expect.stringMatching(/ContextMD is inside the host at \S+, but disabled there/) })
  expect((await home.contextmd('setup', 'grok')).err).toContain('but disabled there')

  const broken = newHostHome()
  mkdirSync(join(broken.world.stateDir, 'contextmd.sqlite'))
  await broken.told(await broken.startHost())
  const set = await broken.contextmd('setup', 'grok', '--inside')
  expect(set).toMatchObject({ code: 0, err: expect.stringContaining('is disabled now and serves nothing') })

  const other = newHostHome()
  other.env['CONTEXTMD_DATA'] = join(other.world.home, 'elsewhere')
  await other.startHost()
  delete other.env['CONTEXTMD_DATA']
  const foreign = await other.contextmd('setup', 'grok', '--inside')
  expect(foreign).toMatchObject({ code: 1, err: expect.stringContaining('does not show that it is yours') })
})

test('who wants no agent to be set up gets no token of the host', async () => {
  const home = newHostHome()
  home.env['PATH'] = `${join(home.world.home, 'bin')}:/usr/bin:/bin`
  mkdirSync(join(home.world.home, '.grok'))
  await home.told(await home.startHost())
  const asked: string[] = []
  const answer = async (question: string) => (asked.push(question), question.startsWith('Set up') ? 'n' : 'y')
  const { code, out } = await home.contextmdWith({ answer }, 'setup')
  expect([code, asked.length, out]).toEqual([0, 2, expect.stringContaining('no token of the host was made')])
  expect(keptIn(home)).toBeNull()
})

test('who breaks off at a question has lost nothing: the token is still kept, and the next run names it', async () => {
  const home = newHostHome()
  home.env['PATH'] = `${join(home.world.home, 'bin')}:/usr/bin:/bin`
  mkdirSync(join(home.world.home, '.grok'))
  await home.told(await home.startHost())
  await home.contextmd('setup', 'grok')
  const kept = keptIn(home)
  const breakOff = async (): Promise<string> => {
    throw new Error('Ctrl-C')
  }
  expect((await home.contextmdWith({ answer: breakOff }, 'setup', '--no-inside')).code).not.toBe(0)
  expect([keptIn(home), tokenInHookFiles(home.paths.hooks, 'grok')]).toEqual([kept, kept?.token])
  const { out } = await home.contextmdWith({ answer: 'y' }, 'setup', '--no-inside')
  expect(out).toContain(`t3 auth session revoke ${kept?.session}\n`)
  expect([keptIn(home), tokenInHookFiles(home.paths.hooks, 'grok')]).toEqual([null, expect.stringMatching(/^cmd_/)])
})

test('a run that was broken off behind the token is made whole by the next: the server in the background gives way', async () => {
  const home = newHostHome()
  await home.contextmd('setup', 'claude-code', '--no-inside')
  expect((await home.contextmd('service', 'start')).code).toBe(0)
  const background = readServerFile(home.paths.server)
  if (background === null) throw new Error('no server')
  onTestFinished(() => {
    if (isAlive(background.pid)) process.kill(background.pid, 'SIGKILL')
  })
  expect(background.startedAs).toBe('background')
  const host = await home.startHostProcess()
  const onOut = (text: string): void => {
    if (text.includes('is kept')) throw new Error('the terminal is gone')
  }
  expect((await home.contextmdWith({ onOut }, 'setup', 'claude-code', '--inside')).code).not.toBe(0)
  expect([keptIn(home) !== null, isAlive(background.pid)]).toEqual([true, true])

  const { code, out } = await home.contextmd('setup', 'claude-code')
  expect([code, out]).toEqual([0, expect.stringContaining('The server in the background is ended: the host serves.')])
  await home.told(host)
  expect(tokenInHookFiles(home.paths.hooks)).toBe(keptIn(home)?.token)
})

test('a credential in the JSON that the host`s program prints is taken from the standard input', async () => {
  const home = newHostHome(false)
  await home.told(await home.startHost())
  const input = `Migrated.\n${JSON.stringify({ id: 'p', credential: createCredential(home.world.stateDir) }, null, 2)}\n`
  expect((await home.contextmdWith({ input }, 'setup', 'grok', '--credential-stdin')).code).toBe(0)
  expect(keptIn(home)).not.toBeNull()
  const none = await home.contextmdWith(
    { input: 'x'.repeat(5_000) },
    'setup',
    'grok',
    '--credential-stdin',
    '--base',
    join(home.world.home, '.t3'),
  )
  // a token that is good needs no credential
  expect(none.code).toBe(0)
  age(home, 1)
  const long = await home.contextmdWith({ input: 'x'.repeat(5_000) }, 'setup', 'grok', '--credential-stdin')
  expect(long).toMatchObject({ code: 1, err: expect.stringContaining('held no credential') })
})

test('inside a host: the plugin`s next steps, what remove leaves, and an endpoint for agents that leads nowhere', async () => {
  const home = newHostHome()
  expect((await home.contextmd('setup', 'claude-code', '--mcp')).code).toBe(0)
  await home.told(await home.startHost())
  const plugin = await home.contextmd('setup', 'claude-code', '--plugin', '--inside')
  expect([plugin.code, plugin.out]).toEqual([0, expect.stringContaining('start claude anew in the host')])
  expect(plugin.out).not.toContain('contextmd serve')
  expect(plugin.out.match(/^Next:/gm)).toHaveLength(1)

  const { findings } = JSON.parse((await home.contextmd('doctor', '--json')).out) as { findings: { id: string; what: string }[] } // as doctor prints it
  expect(findings.filter(({ id }) => id === 'agents')).toMatchObject([
    { level: 'warn', what: expect.stringContaining('hooks post into a host now') },
  ])

  const state = join(home.world.stateDir, 'contextmd.sqlite')
  writeFileSync(join(home.world.home, 'mine'), '')
  expect((await home.contextmd('remove', 'claude-code')).out).toContain(`${state} with the log and the state of ContextMD inside the host`)
})
