/** `contextmd setup` for hooks that post into a host: the token, where it goes, and what happens when there is none. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { hostTokenFileIn, keepHostToken, readHostToken } from '../../install/host-token.ts'
import { tokenInHookFiles } from '../../install/hook-scripts.ts'
import { until } from '../../service/home.fixture.ts'
import { openTokens } from '../../state/tokens.ts'
import { createCredential, revokeSession } from './host-auth.fixture.ts'
import { newHostHome, type Host, type HostHome } from './host-home.fixture.ts'

// each test starts processes, on a busy machine for seconds
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const DAY_MS = 24 * 60 * 60 * 1_000

const settingsOf = ({ world }: HostHome) => readFileSync(join(world.home, '.claude', 'settings.json'), 'utf8')
const keptIn = ({ paths }: HostHome) => readHostToken(paths.data)
const shownBy = ({ paths }: HostHome) => tokenInHookFiles(paths.hooks)

async function problemsOf({ port }: Host): Promise<readonly string[]> {
  const health = await fetch(`http://127.0.0.1:${port}/contextmd/v1/health`, { headers: { authorization: 'Bearer t3_person' } })
  const { problems } = (await health.json()) as { problems: { code: string }[] } // as the interface gives it
  return problems.map(({ code }) => code)
}

/** As if so many days were left. */
function age(home: HostHome, days: number): void {
  const kept = keptIn(home)
  if (kept !== null) keepHostToken(home.paths.data, { ...kept, expiresAt: Date.now() + days * DAY_MS })
}

test('a host with ContextMD inside is found: its program is asked, the token only reads, hooks are commands and start no server', async () => {
  const home = newHostHome()
  const host = await home.startHost()
  await home.told(host)
  const { code, out, err } = await home.contextmd('setup', 'claude-code')
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain(`A token of the host at http://127.0.0.1:${host.port} is kept`)
  const kept = keptIn(home)
  expect(kept).toMatchObject({
    base: join(home.world.home, '.t3'),
    stateDir: home.world.stateDir,
    session: expect.stringMatching(/^session-/),
  })
  expect(Math.round(((kept?.expiresAt ?? 0) - Date.now()) / DAY_MS)).toBe(30)
  expect(statSync(hostTokenFileIn(home.paths.data)).mode & 0o777).toBe(0o600)
  expect(shownBy(home)).toBe(kept?.token)
  expect(settingsOf(home)).not.toContain('"http"')
  expect(settingsOf(home)).not.toContain(kept?.token)
  expect(readFileSync(join(home.paths.hooks, 'server.start'), 'utf8')).toBe('')
  // none of our own is issued for hooks that would never show it
  expect(openTokens(home.paths.tokens, { now: () => Date.now() }).list()).toEqual([])
  expect(out).not.toContain('contextmd serve')
})

test('run again it changes nothing, also when the host is on another port or does not run', async () => {
  const home = newHostHome()
  const first = await home.startHost()
  await home.told(first)
  await home.contextmd('setup', 'claude-code')
  const all = () => [settingsOf(home), JSON.stringify(keptIn(home)), shownBy(home)]
  const before = all()
  await first.stop()
  expect((await home.contextmd('setup', 'claude-code')).out).toContain('Nothing to do')
  const second = await home.startHost()
  await home.told(second)
  expect((await home.contextmd('setup', 'claude-code')).out).toContain('Nothing to do')
  expect(all()).toEqual(before)
})

test('T15: in its last seven days, or once the host refuses it, setup gets another token and hands it to all hooks', async () => {
  const home = newHostHome()
  await home.told(await home.startHost())
  await home.contextmd('setup', 'claude-code')
  await home.contextmd('setup', 'grok')
  const first = keptIn(home)
  age(home, 7)
  expect((await home.contextmd('setup', 'grok')).code).toBe(0)
  const second = keptIn(home)
  expect(second?.token).not.toBe(first?.token)
  expect([tokenInHookFiles(home.paths.hooks, 'grok'), shownBy(home)]).toEqual([second?.token, second?.token])
  age(home, 8)
  await home.contextmd('setup', 'grok')
  expect(keptIn(home)?.token).toBe(second?.token)
  revokeSession(home.world.stateDir, second?.session ?? '')
  await home.contextmd('setup', 'claude-code')
  expect(keptIn(home)?.token).not.toBe(second?.token)
  expect([tokenInHookFiles(home.paths.hooks, 'grok'), shownBy(home)]).toEqual([keptIn(home)?.token, keptIn(home)?.token])
})

test('without the host`s program a credential is asked for at the terminal, or taken from the standard input', async () => {
  const home = newHostHome(false)
  await home.told(await home.startHost())
  const none = await home.contextmd('setup', 'claude-code')
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('--credential-stdin') })
  expect([keptIn(home), existsSync(join(home.world.home, '.claude'))]).toEqual([null, false])

  const asked = await home.contextmdWith({ answer: createCredential(home.world.stateDir) }, 'setup', 'claude-code', '--inside')
  expect(asked.code).toBe(0)
  const first = keptIn(home)
  expect(shownBy(home)).toBe(first?.token)

  age(home, 1)
  const credential = createCredential(home.world.stateDir)
  const given = await home.contextmdWith({ input: `${credential}\n` }, 'setup', 'claude-code', '--credential-stdin')
  expect([given.code, keptIn(home)?.token === first?.token]).toEqual([0, false])

  age(home, 1)
  const used = await home.contextmdWith({ input: credential }, 'setup', 'claude-code', '--credential-stdin')
  expect(used).toMatchObject({ code: 1, err: expect.stringMatching(/refused the credential \(invalid_grant.*good once/) })
})

test.each([
  ['fails', 'echo "no such database" >&2; exit 3', /exit code 3, and said: no such database/],
  ['prints no credential', 'echo "{}"', /printed no credential/],
  [
    'is of another version',
    'if [ "$1" = --version ]; then echo 9.9.9; else exit 7; fi',
    /is of version 9\.9\.9, and the host that runs of 1\.2\.3/,
  ],
])('a program that %s is told, and nothing is set up', async (_, script, why) => {
  const home = newHostHome()
  await home.told(await home.startHost())
  const program = join(home.world.home, 'my t3')
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  expect(await home.contextmd('setup', 'claude-code', '--t3-program', program)).toMatchObject({ code: 1, err: expect.stringMatching(why) })
  expect(keptIn(home)).toBeNull()
})

test('a token that could do more than read is not kept', async () => {
  const home = newHostHome()
  await home.told(await home.startHost('orchestration:read access:write'))
  const { code, err } = await home.contextmd('setup', 'claude-code')
  expect([code, err]).toEqual([1, expect.stringMatching(/access:write.* is not kept.*t3 auth session revoke session-/)])
  expect([keptIn(home), shownBy(home)]).toEqual([null, null])
})

test('a host without ContextMD is no place for hooks: told where it was asked for, left alone where it was not', async () => {
  const home = newHostHome()
  const asked = await home.contextmd('setup', 'claude-code', '--inside')
  expect(asked).toMatchObject({ code: 1, err: expect.stringContaining('no host runs in') })
  await home.startHost('bare')
  const bare = await home.contextmd('setup', 'claude-code', '--inside')
  expect(bare).toMatchObject({ code: 1, err: expect.stringContaining('does not show that your ContextMD is inside it') })
  expect((await home.contextmd('setup', 'claude-code')).code).toBe(0)
  expect([keptIn(home), shownBy(home)?.startsWith('cmd_')]).toEqual([null, true])
  expect(settingsOf(home)).toContain('"http"')
})

test('who has a server beside keeps it, and is told of the host; --inside changes over, --no-inside back', async () => {
  const home = newHostHome()
  await home.contextmd('setup', 'claude-code', '--no-inside')
  await home.contextmd('setup', 'grok', '--no-inside')
  const host = await home.startHost()
  // hooks that only a server beside takes must not be led to the host
  await until(async () => (await problemsOf(host)).includes('host_not_chosen'))
  expect(existsSync(home.paths.server)).toBe(false)
  const beside = await home.contextmd('setup', 'claude-code')
  expect(beside.err).toContain('contextmd setup --inside')
  expect(settingsOf(home)).toContain('"http"')

  const over = await home.contextmd('setup', 'grok', '--inside')
  expect(over.out).toContain('Note: the settings of claude-code hold a port and a token themselves: contextmd setup claude-code')
  expect(tokenInHookFiles(home.paths.hooks, 'grok')).toBe(keptIn(home)?.token)
  await home.told(host)
  await home.contextmd('setup', 'claude-code')
  expect(settingsOf(home)).not.toContain('"http"')

  const back = await home.contextmd('setup', 'claude-code', '--no-inside')
  expect(back.out).toContain('t3 auth session revoke session-')
  expect(keptIn(home)).toBeNull()
  await until(() => !existsSync(home.paths.server))
  for (const harness of ['claude-code', 'grok'] as const) expect(tokenInHookFiles(home.paths.hooks, harness)).toMatch(/^cmd_/)
  expect(readFileSync(join(home.paths.hooks, 'server.start'), 'utf8')).toContain('contextmd.js')
})

test('a trial gets no token and writes nothing', async () => {
  const home = newHostHome()
  await home.told(await home.startHost())
  const { code, out } = await home.contextmd('setup', 'claude-code', '--dry-run')
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/Would get a token that only reads.*\n[\s\S]*contextmd-hook\.sh[\s\S]*Nothing was written/),
  ])
  expect([keptIn(home), existsSync(join(home.world.home, '.claude'))]).toEqual([null, false])
})

test.each([
  [['--no-inside', '--base', '/home/dev/t3'], /--no-inside/],
  [['--inside', '--autostart'], /starts its own server/],
])('setup %j is a wrong call', async (argv, why) => {
  expect(await newHostHome().contextmd('setup', ...argv)).toMatchObject({ code: 64, err: expect.stringMatching(why) })
})

test('remove forgets the token, and says how it is ended in the host', async () => {
  const home = newHostHome()
  await home.told(await home.startHost())
  await home.contextmd('setup', 'claude-code')
  await home.contextmd('setup', 'grok')
  const session = keptIn(home)?.session
  expect((await home.contextmd('remove', 'grok')).out).not.toContain('revoke')
  expect(keptIn(home)).not.toBeNull()
  expect((await home.contextmd('remove', 'claude-code')).out).toContain(`t3 auth session revoke ${session}`)
  expect([keptIn(home), shownBy(home)]).toEqual([null, null])
})

test('remove --data takes the token along, once the host has ended', async () => {
  const home = newHostHome()
  const host = await home.startHost()
  await home.told(host)
  await home.contextmd('setup', 'grok')
  await host.stop()
  const { code, out } = await home.contextmd('remove', '--data', '--yes')
  expect([code, out]).toEqual([0, expect.stringContaining('t3 auth session revoke session-')])
  expect(existsSync(home.paths.data)).toBe(false)
})

test.each([
  ['claude-code', 'http'],
  ['codex', 'mcp'],
])('%s with --transport %s holds port and token itself, so it is refused inside a host', async (harness, way) => {
  const home = newHostHome()
  await home.told(await home.startHost())
  const { code, err } = await home.contextmd('setup', harness, '--inside', '--transport', way)
  expect([code, err]).toEqual([64, expect.stringMatching(/one port and one token/)])
})

test('a host that was started for work on itself is found; its program can not be asked for it, so the person is', async () => {
  const home = newHostHome()
  const stateDir = join(home.world.home, '.t3', 'dev')
  mkdirSync(stateDir)
  const host = await home.startHost('', { stateDir, database: home.world.database })
  await home.told(host)
  const { code, err } = await home.contextmdWith({ answer: createCredential(stateDir) }, 'setup', 'grok', '--inside')
  expect([code, err]).toEqual([0, expect.stringContaining('started for work on itself')])
  expect(keptIn(home)?.stateDir).toBe(stateDir)
})

test('without a name all agents of the machine are set up for the host, with the host`s next steps', async () => {
  const home = newHostHome()
  home.env['PATH'] = `${join(home.world.home, 'bin')}:/usr/bin:/bin`
  mkdirSync(join(home.world.home, '.grok'))
  mkdirSync(join(home.env['XDG_CONFIG_HOME'] ?? '', 'opencode'))
  await home.told(await home.startHost())
  const { code, out } = await home.contextmd('setup', '--yes')
  expect([code, out]).toEqual([0, expect.stringContaining('start your agent anew in the host')])
  expect(out).not.toContain('contextmd serve')
  for (const harness of ['grok', 'opencode'] as const) expect(tokenInHookFiles(home.paths.hooks, harness)).toBe(keptIn(home)?.token)
})

test('a host of another base folder is named, and its program is told of it', async () => {
  const home = newHostHome()
  const base = join(home.world.home, 'my t3')
  const stateDir = join(base, 'userdata')
  mkdirSync(stateDir, { recursive: true })
  await home.told(await home.startHost('', { stateDir, database: home.world.database }))
  expect((await home.contextmd('setup', 'grok')).code).toBe(0)
  expect(keptIn(home)).toBeNull()
  expect((await home.contextmd('setup', 'grok', '--base', base)).code).toBe(0)
  expect(keptIn(home)).toMatchObject({ base, stateDir })
  // from then on it is known
  age(home, 3)
  const { code, out } = await home.contextmd('setup', 'grok')
  expect([code, out]).toEqual([0, expect.stringContaining('is kept')])
})

test('where nobody can be asked which agents to set up, nothing is changed: neither a token made nor one forgotten', async () => {
  const home = newHostHome()
  const host = await home.startHost()
  await home.told(host)
  mkdirSync(join(home.world.home, '.claude'), { recursive: true })
  expect(await home.contextmd('setup', '--inside')).toMatchObject({ code: 1, err: expect.stringContaining('--yes') })
  expect(keptIn(home)).toBeNull()
  expect((await home.contextmd('setup', 'claude-code')).code).toBe(0)
  const kept = keptIn(home)
  expect(await home.contextmd('setup', '--no-inside')).toMatchObject({ code: 1, err: expect.stringContaining('--yes') })
  expect([keptIn(home), shownBy(home)]).toEqual([kept, kept?.token])
})

test('agents can not reach our endpoint inside a host: --mcp says so and writes nothing', async () => {
  const home = newHostHome()
  const host = await home.startHost()
  await home.told(host)
  expect((await home.contextmd('setup', 'claude-code')).code).toBe(0)
  expect(await home.contextmd('setup', 'claude-code', '--mcp')).toMatchObject({ code: 1, err: expect.stringContaining('server beside') })
  expect(existsSync(join(home.world.home, '.claude.json'))).toBe(false)
})
