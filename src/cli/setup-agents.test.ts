import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { HarnessName } from '../core/id.ts'
import { agentTokenFile, agentTokenIn } from '../install/agent-token.ts'
import { backupOf } from '../install/settings-file.ts'
import { Machine } from './doctor.fixture.ts'
import { removeAll } from './remove.ts'
import { removeAgents } from './remove-agents.ts'
import { setUpAgents } from './setup-agents.ts'
import { HARNESSES, parseSetupOptions } from './setup-options.ts'

let at: Machine

beforeEach(() => {
  at = new Machine()
})

afterEach(() => at.end())

/** What a person has there before, in the form that each takes. The other server has a secret of its own. */
const BEFORE: Readonly<Record<HarnessName, readonly [file: string, text: string]>> = {
  'claude-code': [
    '.claude.json',
    '{\n  "numStartups": 3,\n  "mcpServers": {\n    "other": { "type": "http", "url": "http://127.0.0.1:1", "headers": { "X-Key": "SECRET" } }\n  }\n}',
  ],
  codex: [
    '.codex/config.toml',
    '# mine\nmodel = "gpt-5.5"\n\n[mcp_servers.other]\nurl = "http://127.0.0.1:1"\nhttp_headers = { X-Key = "SECRET" }\n',
  ],
  grok: ['.grok/config.toml', '[models]\ndefault = "x"   # SECRET'],
  opencode: ['.config/opencode/opencode.jsonc', '{\n  // SECRET\n  "theme": "dark", // dark\n}\n'],
}

function give(harness: HarnessName): { readonly file: string; readonly text: string } {
  const [name, text] = BEFORE[harness]
  return { file: at.write(join(at.home, name), text), text }
}

const setUp = (harness: HarnessName, ...argv: string[]) =>
  setUpAgents(harness, parseSetupOptions([harness, '--mcp', ...argv]), at.io, at.project)
const remove = (harness: HarnessName, scope: 'user' | 'project' | null = 'user') => removeAgents(harness, scope, at.io, at.project)
const read = (file: string) => readFileSync(file, 'utf8')

describe.each(HARNESSES)('%s', (harness) => {
  test('S10: put in, a second time nothing, another port, and taken out byte for byte; the token is revoked', async () => {
    const { file, text } = give(harness)
    chmodSync(file, 0o600)
    expect(await setUp(harness)).toBe(0)
    const once = read(file)
    expect(once).toContain(`http://127.0.0.1:4517/contextmd/mcp?harness=${harness}`)
    expect(read(backupOf(file))).toBe(text)
    at.printed = ''
    expect(await setUp(harness)).toBe(0)
    expect(at.printed).toContain('Nothing to do')
    expect(read(file)).toBe(once)
    await setUp(harness, '--port', '4600')
    await setUp(harness)
    expect(read(file)).toBe(once.replace(':4517/', ':4600/'))
    const token = agentTokenIn(at.paths.data, harness) ?? ''
    expect(at.tokens.check(token, 'entries:read')).toBe('ok')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await remove(harness)).toBe(0)
    expect(read(file)).toBe(text)
    expect(existsSync(backupOf(file))).toBe(false)
    expect(at.tokens.check(token, 'entries:read')).toBe('revoked')
    expect(existsSync(agentTokenFile(at.paths.data, harness))).toBe(false)
    expect(existsSync(join(at.paths.data, 'agents.json'))).toBe(false)
  })

  test('the dry run writes nothing, and shows no secret, ours or others`', async () => {
    const { file, text } = give(harness)
    await setUp(harness, '--dry-run')
    expect(at.printed).toContain('+++ ')
    expect(at.printed).toContain('Nothing was written.')
    expect(at.printed).not.toContain('SECRET')
    expect(read(file)).toBe(text)
    expect(existsSync(at.paths.data)).toBe(false)
    await setUp(harness)
    expect(at.printed).not.toContain(agentTokenIn(at.paths.data, harness))
  })

  test('changed since: only ours is taken out, also where the records are lost', async () => {
    const { file } = give(harness)
    await setUp(harness)
    const more = harness === 'codex' || harness === 'grok' ? '\n[later]\nx = 1\n' : '\n'
    writeFileSync(file, `${read(file)}${more}`)
    if (harness === 'grok') writeFileSync(join(at.paths.data, 'agents.json'), '{')
    await remove(harness)
    expect(read(file)).not.toContain('contextmd')
    expect(read(file)).toContain('SECRET')
    expect(at.printed).toContain('the rest was changed since setup and is as it was')
  })

  test('there was no file: it is made private, and gone afterwards', async () => {
    const file = join(at.home, BEFORE[harness][0].replace('.jsonc', '.json'))
    await setUp(harness)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await removeAll({ scope: 'user', data: true, yes: true }, at.io, at.project)).toBe(0)
    expect(existsSync(file)).toBe(false)
    expect(existsSync(at.paths.data)).toBe(false)
  })

  test('another server of our name is left, and told', async () => {
    const { file, text } = give(harness)
    await setUp(harness)
    const foreign = read(file).replace('/contextmd/mcp', '/somebody/else')
    writeFileSync(file, foreign)
    await expect(setUp(harness)).rejects.toMatchObject({ code: 'foreign' })
    await remove(harness)
    expect(read(file)).toBe(foreign)
    expect(foreign).not.toBe(text)
  })

  test('the entry that is written opens the server, for entries and nothing else', async () => {
    await at.serve()
    const { file } = give(harness)
    await setUp(harness, '--port', String(at.port))
    const url = /http:[^"]*contextmd\/mcp[^"]*/.exec(read(file))?.[0] ?? ''
    const shown = /Bearer ([^"]*)"/.exec(read(file))?.[1] ?? ''
    // OpenCode puts the file's text there
    const token = shown.replace(/^\{file:(.*)\}$/, (_, path: string) => read(path))
    const post = (address: string, body: object) =>
      fetch(address, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify(body),
      })
    const listed = await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    expect(await listed.text()).toContain('read_entry')
    expect((await post(`http://127.0.0.1:${at.port}/contextmd/v1/moment?harness=${harness}`, {})).status).toBe(403)
  })
})

test('Claude Code: for one project it is in the private part of the person`s own file, and each is taken out for itself', async () => {
  const { file } = give('claude-code')
  await setUp('claude-code')
  await setUp('claude-code', '--scope', 'project')
  const value = JSON.parse(read(file))
  expect(value.projects[at.project].mcpServers.contextmd.type).toBe('http')
  expect(value.mcpServers.contextmd.type).toBe('http')
  expect(existsSync(join(at.project, '.mcp.json'))).toBe(false)
  await remove('claude-code', 'project')
  expect(JSON.parse(read(file)).projects).toBeUndefined()
  expect(at.tokens.check(agentTokenIn(at.paths.data, 'claude-code') ?? '', 'entries:read')).toBe('ok')
  await remove('claude-code', 'user')
  expect(read(file)).not.toContain('contextmd')
  expect(agentTokenIn(at.paths.data, 'claude-code')).toBeNull()
})

test('Claude Code: two entries in a file that setup made: it is gone with the last of them', async () => {
  await setUp('claude-code')
  await setUp('claude-code', '--scope', 'project')
  await remove('claude-code', 'user')
  await remove('claude-code', 'project')
  expect(existsSync(join(at.home, '.claude.json'))).toBe(false)
})

test('settings that are committed get no token; those of OpenCode hold none', async () => {
  const git = (...argv: string[]) => execFileSync('git', ['-C', at.home, ...argv], { env: at.env, stdio: 'pipe' })
  const { file, text } = give('codex')
  give('opencode')
  git('init', '--quiet')
  git('add', '.codex/config.toml', '.config/opencode/opencode.jsonc')
  await expect(setUp('codex')).rejects.toMatchObject({ code: 'tracked' })
  expect(read(file)).toBe(text)
  expect(agentTokenIn(at.paths.data, 'codex')).toBeNull()
  expect(await setUp('opencode')).toBe(0)
})

test('CLAUDE_CONFIG_DIR names the folder of the file', async () => {
  at.env = { ...at.env, CLAUDE_CONFIG_DIR: join(at.home, 'elsewhere') }
  await setUp('claude-code')
  expect(read(join(at.home, 'elsewhere', '.claude.json'))).toContain('/contextmd/mcp')
  // the home is another one by now: the records know
  at.env = { ...at.env, CLAUDE_CONFIG_DIR: join(at.home, 'third') }
  await removeAgents('claude-code', null, at.io, at.project)
  expect(existsSync(join(at.home, 'elsewhere'))).toBe(false)
})

test('OpenCode: settings of a project name the file of the token and do not hold it', async () => {
  await setUp('opencode', '--scope', 'project')
  const text = read(join(at.project, 'opencode.json'))
  expect(text).toContain(`{file:${agentTokenFile(at.paths.data, 'opencode')}}`)
  expect(text).not.toContain(agentTokenIn(at.paths.data, 'opencode'))
})

test.each(['codex', 'grok'] as const)('%s has no private place in a project', async (harness) => {
  await expect(setUp(harness, '--scope', 'project')).rejects.toMatchObject({ code: 'usage' })
})

test.each([
  [['--mcp'], 'name the harness'],
  [['codex', '--mcp', '--transport', 'command'], '--mcp writes no hooks'],
  [['claude-code', '--mcp', '--plugin'], '--mcp writes no hooks'],
])('%j is refused', (argv, message) => {
  expect(() => parseSetupOptions(argv)).toThrow(message)
})

describe('doctor', () => {
  const about = async (id: string) => (await at.diagnose()).filter((finding) => finding.id === id && finding.harness === 'grok')

  test('looks at the entry, its token and the port, and mends them', async () => {
    await at.serve()
    give('grok')
    expect(await about('agents')).toEqual([])
    await setUp('grok', '--port', '1')
    expect(await about('agents')).toMatchObject([{ level: 'warn', what: expect.stringContaining('at port 1') }])
    await at.fix()
    expect(await about('agents')).toMatchObject([{ level: 'ok' }])
    for (const { id } of at.tokens.list()) at.tokens.revoke(id)
    expect(await about('agents')).toMatchObject([{ level: 'warn', what: expect.stringContaining('is not good') }])
    await at.fix()
    expect(await about('agents')).toMatchObject([{ level: 'ok' }])
  })

  test('an entry that somebody took out is told, and left out', async () => {
    const { file, text } = give('grok')
    await setUp('grok')
    writeFileSync(file, text)
    expect(await about('agents')).toMatchObject([{ level: 'warn', what: expect.stringContaining('is gone from') }])
  })

  test('settings with our token that others may read are found, and kept to the person', async () => {
    const { file } = give('grok')
    at.open(file)
    expect(await about('private')).toEqual([])
    await setUp('grok')
    expect(at.printed).toContain('others on this machine may be able to read')
    expect(await about('private')).toMatchObject([{ level: 'warn', what: expect.stringContaining(file), cure: `chmod 600 ${file}` }])
    await at.fix()
    expect(at.printed).toContain(`${file} is readable by you alone now.`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await about('private')).toEqual([])
  })
})
