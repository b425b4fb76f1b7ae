import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Finding } from '../doctor/finding.ts'
import { Machine } from './doctor.fixture.ts'
import { HARNESSES } from './setup-options.ts'

// each test runs programs by the dozen: a machine at its limit takes a quarter of a minute for one
vi.setConfig({ testTimeout: 120_000 })

let at: Machine

beforeEach(async () => {
  at = new Machine()
  await at.serve()
})

afterEach(() => at.end())

/** But for the disk, which is the machine's own. */
const wrong = (findings: readonly Finding[]) =>
  findings
    .filter(({ id, level }) => id !== 'disk' && (level === 'bad' || level === 'warn'))
    .map(({ id, harness, level }) => ({ id, harness, level }))
const of = (findings: readonly Finding[], id: string) => findings.filter((finding) => finding.id === id)

test.each(HARNESSES)('%s, set up: all is well, a test moment goes through its hooks, and nothing of it is kept', async (harness) => {
  at.install(harness)
  await at.setUp(harness)
  const findings = await at.diagnose()
  expect(wrong(findings)).toEqual([])
  const probes = of(findings, 'test-moment')
  expect(probes.length).toBeGreaterThan(0)
  for (const probe of probes) expect(probe).toMatchObject({ harness, level: 'ok', what: expect.stringContaining('came back in') })
  const engine = at.server?.engine
  expect(engine?.log({ newest: true, limit: 10 })).toEqual([])
  expect(engine?.logbook.threads(10)).toEqual([])
  expect(engine?.health().counters).toEqual({})
})

test('what is broken is found and mended: the script gone, the token revoked, a file open to others, another port (S16, T15)', async () => {
  await at.setUp('claude-code', '--port', '1')
  rmSync(join(at.paths.hooks, 'contextmd-hook.sh'))
  for (const { id, name } of at.tokens.list()) if (name === 'claude-code hooks') at.tokens.revoke(id)
  at.open(join(at.paths.hooks, 'claude-code.header'))
  const findings = await at.diagnose()
  const about = (id: string, harness: Finding['harness'] = 'claude-code') => ({ id, harness, level: 'bad' })
  expect(wrong(findings)).toEqual(expect.arrayContaining([about('hooks'), about('token'), about('address'), about('private', null)]))
  for (const { level, cure } of findings) if (level === 'bad') expect(cure).not.toBe('')
  await at.fix()
  expect(wrong(await at.diagnose())).toEqual([])
})

test('settings of Claude Code that hold our token and that others may read: doctor warns, and --fix keeps them to the person', async () => {
  const file = at.write(join(at.home, '.claude', 'settings.json'), '{}')
  const other = at.write(
    join(at.project, '.claude', 'settings.json'),
    '{"env": {"TOKEN": "cmd_of_somebody_else_and_none_of_ours_at_all_0"}}',
  )
  at.open(file)
  at.open(other)
  await at.setUp('claude-code')
  const found = of(await at.diagnose(), 'private').filter(({ harness }) => harness === 'claude-code')
  expect(found).toMatchObject([{ level: 'warn', cure: `chmod 600 ${file}` }])
  await at.fix()
  expect(at.printed).toContain(`${file} is readable by you alone now.`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(other).mode & 0o777).toBe(0o644)
  expect(wrong(await at.diagnose())).toEqual([])
})

test('S13: Codex does not trust the hooks', async () => {
  at.install('codex')
  await at.setUp('codex')
  rmSync(join(at.home, '.codex', 'trusted.json'))
  const [trust] = of(await at.diagnose(), 'trust')
  expect(trust).toMatchObject({ level: 'bad', cure: expect.stringContaining('setup codex') })
})

test('S6, S9, S12: hooks that can`t post, change the event, or print beside the answer', async () => {
  await at.setUp('grok')
  const file = join(at.home, '.grok', 'hooks', 'contextmd.json')
  const good = readFileSync(file, 'utf8')
  const tried = async (change: (command: string) => string): Promise<string> => {
    const value = JSON.parse(good)
    for (const groups of Object.values<{ hooks: { command: string }[] }[]>(value.hooks))
      for (const group of groups) for (const hook of group.hooks) hook.command = change(hook.command)
    writeFileSync(file, JSON.stringify(value))
    return of(await at.diagnose(), 'test-moment').find(({ level }) => level === 'bad')?.what ?? 'well'
  }
  expect(await tried((command) => command)).toBe('well')
  expect(await tried((command) => `PATH=${at.home}; ${command}`)).toContain('got no answer')
  expect(await tried((command) => `sed 's/run_terminal_command/run_shell/g' | ${command}`)).toContain('understood the event')
  expect(await tried((command) => `echo hello; ${command}`)).toContain('prints something else beside the answer')
})

test('nothing that a cloned repository brings is run', async () => {
  for (const harness of HARNESSES) await at.setUp(harness)
  const ran = join(at.home, 'ran')
  const hook = { type: 'command', command: `touch '${ran}'; : contextmd-hook.sh` }
  const hooks = { hooks: { PreToolUse: [{ hooks: [hook] }] } }
  for (const file of ['.claude/settings.local.json', '.codex/hooks.json', '.grok/hooks/contextmd.json'])
    at.write(join(at.project, file), JSON.stringify(hooks))
  const wrapper = join('plugin', 'contextmd.js')
  const [mark] = readFileSync(join(at.home, '.config', 'opencode', wrapper), 'utf8').split('\n')
  const script = `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(ran)}, '')\nexport default {}\n`
  at.write(join(at.project, '.opencode', wrapper), `${mark}\n${script}`)
  const skipped = of(await at.diagnose(), 'test-moment').filter(({ what }) => what.includes('not as setup writes them'))
  expect(skipped.map(({ harness }) => harness).toSorted()).toEqual([...HARNESSES].toSorted())
  expect(existsSync(ran)).toBe(false)
})

test('hooks of a project that stand as setup wrote them are tried', async () => {
  await at.setUp('grok', '--scope', 'project')
  expect(of(await at.diagnose(), 'test-moment')).toContainEqual(expect.objectContaining({ level: 'ok' }))
})

test('S8: what hooks could not post is told by cause, although doctor`s own test moment brings it', async () => {
  await at.setUp('grok')
  // the last one is of a session that a hook started the server for
  at.write(join(at.paths.hooks, 'grok.missed'), '2 1 3\n')
  await at.diagnose()
  const missed = of(await at.diagnose(), 'missed')
  const level = (cause: string) => missed.find(({ what }) => what.includes(cause))?.level
  expect([level('(refused)'), level('(timed-out)'), level('(starting: ')]).toEqual(['warn', 'warn', 'note'])
})

test('what stands in files: hooks of others, a deny rule, settings that are broken (G12, G13)', async () => {
  const other = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: './guard.sh' }] }] } })
  at.write(join(at.home, '.grok', 'hooks', 'a-guard.json'), other)
  const settings = at.write(join(at.home, '.claude', 'settings.json'), JSON.stringify({ permissions: { deny: ['Read(~/.config/**)'] } }))
  await at.setUp('grok')
  await at.setUp('claude-code')
  const findings = await at.diagnose()
  expect(of(findings, 'others')).toMatchObject([{ harness: 'grok', level: 'note', what: expect.stringContaining('a-guard.json') }])
  expect(of(findings, 'notes')).toContainEqual(
    expect.objectContaining({ level: 'warn', what: expect.stringContaining('Read(~/.config/**)') }),
  )
  writeFileSync(settings, '{\n  "a": 1\n  "b": 2\n}')
  expect(of(await at.diagnose(), 'hooks')).toContainEqual(
    expect.objectContaining({ level: 'bad', what: expect.stringContaining('settings.json:3: not JSON') }),
  )
})

test('an agent that is there and not set up; one whose version is not proven; none at all', async () => {
  expect((await at.diagnose()).filter(({ harness }) => harness !== null)).toEqual([])
  at.install('grok', '9.0.0')
  const findings = await at.diagnose()
  expect(of(findings, 'hooks')).toMatchObject([{ harness: 'grok', level: 'note', cure: 'contextmd setup grok' }])
  expect(of(findings, 'version')).toMatchObject([{ level: 'warn', what: expect.stringContaining('9.0.0: not proven on this version') }])
})

test('the homes of a host`s instances are looked at, each with its own settings', async () => {
  const instances = { work: { driver: 'claudeAgent', config: { homePath: '~/.claude-work' } } }
  at.write(join(at.home, '.t3', 'userdata', 'settings.json'), JSON.stringify({ providerInstances: instances }))
  const work = at.write(join(at.home, '.claude-work', 'settings.json'), '{}')
  await at.setUp('claude-code')
  const files = async () => of(await at.diagnose(), 'hooks').map(({ level, what }) => [level, what.includes(work)])
  expect(await files()).toEqual([
    ['ok', false],
    ['ok', true],
  ])
  writeFileSync(work, '{}')
  expect(await files()).toContainEqual(['bad', true])
  await at.fix()
  expect(await files()).toContainEqual(['ok', true])
})
