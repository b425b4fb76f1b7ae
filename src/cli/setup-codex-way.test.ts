import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EVENTS } from '../harness/codex/install-hooks.ts'
import { hookKeyOf } from '../harness/hook-key.ts'
import { pathsFrom } from '../paths.ts'
import { managerOf } from '../service/manager.ts'
import { openTokens } from '../state/tokens.ts'
import { standIn } from './setup-codex.fixture.ts'
import { look, remove, setUp } from './setup-codex.ts'
import { parseSetupOptions, type SetupOptions } from './setup-options.ts'

let home: string
let codexHome: string
let hookFile: string
let config: string
let env: NodeJS.ProcessEnv

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-setup-codex-way-')))
  codexHome = join(home, '.codex')
  hookFile = join(codexHome, 'hooks.json')
  config = join(codexHome, 'config.toml')
  mkdirSync(join(home, 'project'))
  const CONTEXTMD_CODEX = standIn(join(home, 'bin', 'codex'))
  env = { HOME: home, PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', CONTEXTMD_CODEX }
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

async function setup(more: Partial<SetupOptions> = {}): Promise<string> {
  let output = ''
  const stream = { write: (text: string) => (output += text) }
  const options: SetupOptions = { scope: 'user', transport: null, port: null, dryRun: false, yes: true, ...more }
  expect(await setUp(options, { env, stdout: stream, stderr: stream }, join(home, 'project'))).toBe(0)
  return output
}

async function takeBack(): Promise<string> {
  let output = ''
  const stream = { write: (text: string) => (output += text) }
  expect(await remove({ scope: 'user' }, { env, stdout: stream, stderr: stream }, join(home, 'project'))).toBe(0)
  return output
}

const stream = { write: () => {} }
const stale = () => look({ scope: 'user' }, { env, stdout: stream, stderr: stream }, join(home, 'project')).stale
const hooks = () => Object.values(JSON.parse(readFileSync(hookFile, 'utf8')).hooks).flat() as { hooks: { type: string }[] }[]
const types = () => new Set(hooks().flatMap((group) => group.hooks.map(({ type }) => type)))
const servers = () => JSON.parse(readFileSync(config, 'utf8'))
const token = () => /Bearer (\S+)/.exec(readFileSync(join(pathsFrom(env).hooks, 'codex.header'), 'utf8'))?.[1] ?? ''

function installService(): void {
  const file = managerOf(process.platform, env)?.file ?? ''
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
}

describe('the way', () => {
  test('is a command by itself, a call of our tool where the service is installed, and then stays as it is', async () => {
    expect(await setup()).toContain('they start the server when it is not running')
    expect(types()).toEqual(new Set(['command']))
    installService()
    await setup()
    expect(types()).toEqual(new Set(['command']))
    await takeBack()
    expect(await setup()).toContain('without a process each')
    expect(types()).toEqual(new Set(['mcp_tool', 'command']))
    rmSync(managerOf(process.platform, env)?.file ?? '')
    expect(await setup()).toContain('Nothing to do')
    expect(types()).toEqual(new Set(['mcp_tool', 'command']))
  })

  test('mcp is for Codex and for the person`s own settings', async () => {
    await expect(setup({ transport: 'mcp', scope: 'project' })).rejects.toThrow(/would be committed/)
    expect(() => parseSetupOptions(['claude-code', '--transport', 'mcp'])).toThrow(/is for Codex/)
    expect(parseSetupOptions(['codex', '--transport', 'mcp']).transport).toBe('mcp')
    installService()
    expect(await setup({ scope: 'project' })).toContain('commands: ')
  })
})

describe('calls of our tool', () => {
  test('carry the key of the token, and each event the fields that it always has; the end of a session is a command', async () => {
    await setup({ transport: 'mcp', port: 5000 })
    const { hooks: byEvent } = JSON.parse(readFileSync(hookFile, 'utf8'))
    expect(Object.keys(byEvent)).toEqual([...EVENTS])
    const key = hookKeyOf(token())
    expect(byEvent.Stop).toEqual([
      {
        hooks: [
          {
            type: 'mcp_tool',
            server: 'contextmd_hooks',
            tool: 'moment',
            timeout: 1,
            input: {
              key,
              hook_event_name: '${hook_event_name}',
              session_id: '${session_id}',
              cwd: '${cwd}',
              transcript_path: '${transcript_path}',
              turn_id: '${turn_id}',
              stop_hook_active: '${stop_hook_active}',
            },
          },
        ],
      },
    ])
    expect(byEvent.SessionEnd[0].hooks[0].type).toBe('command')
    // a placeholder that is missing in the event fails the hook
    for (const groups of Object.values(byEvent)) expect(JSON.stringify(groups)).not.toMatch(/\$\{(?:permission_mode|model)\}/)
    expect(JSON.stringify(byEvent.PreToolUse)).not.toContain('agent_')
    expect(servers()).toEqual({
      contextmd_hooks: {
        url: 'http://127.0.0.1:5000/contextmd/hook-mcp?harness=codex',
        startup_timeout_sec: 3,
        http_headers: { authorization: `Bearer ${token()}` },
        env_http_headers: { 'contextmd-off': 'CONTEXTMD_OFF' },
      },
    })
  })

  test('the trust covers them, and what they run is shown', async () => {
    let printed = ''
    const out = { write: (text: string) => (printed += text) }
    const ask = async (): Promise<string> => 'y'
    const options: SetupOptions = { scope: 'user', transport: 'mcp', port: null, dryRun: false }
    await setUp(options, { env, stdout: out, stderr: out, ask }, join(home, 'project'))
    expect(printed).toContain(`To be trusted, for ${EVENTS.length} events:\n  `)
    expect(printed).toContain('the tool "moment" of the MCP server contextmd_hooks: ContextMD on this machine')
    expect(printed).toContain('trust     given')
    expect(printed).not.toContain(token())
  })

  test('twice changes nothing; a new token has a new key, written to both places', async () => {
    await setup({ transport: 'mcp' })
    const before = [readFileSync(hookFile, 'utf8'), readFileSync(config, 'utf8')]
    expect(await setup()).toContain('Nothing to do')
    expect([readFileSync(hookFile, 'utf8'), readFileSync(config, 'utf8')]).toEqual(before)
    expect(stale()).toEqual([])
    const tokens = openTokens(pathsFrom(env).tokens, { now: () => Date.now() })
    for (const { id } of tokens.list()) tokens.revoke(id)
    expect(await setup()).toContain('trust     given')
    expect(readFileSync(hookFile, 'utf8')).toContain(hookKeyOf(token()))
    expect(servers().contextmd_hooks.http_headers).toEqual({ authorization: `Bearer ${token()}` })
  })

  test('a server that is gone from the settings is found out, and put there again', async () => {
    await setup({ transport: 'mcp' })
    writeFileSync(config, '{}')
    expect(stale()).toEqual(['token'])
    expect(await setup()).toContain('Codex is set up')
    expect(stale()).toEqual([])
  })

  test('another server of the same name is left as it is, and nothing is set up', async () => {
    mkdirSync(codexHome)
    const theirs = '{"contextmd_hooks":{"url":"https://example.org"}}'
    writeFileSync(config, theirs)
    await expect(setup({ transport: 'mcp' })).rejects.toThrow(/another MCP server is named contextmd_hooks/)
    expect(readFileSync(config, 'utf8')).toBe(theirs)
    expect(existsSync(hookFile)).toBe(false)
  })

  test('without Codex nothing is set up, and the person is told why', async () => {
    env = { ...env, CONTEXTMD_CODEX: '/no/such/program' }
    await expect(setup({ transport: 'mcp' })).rejects.toThrow(/"\/no\/such\/program" is not on the PATH/)
    expect(existsSync(hookFile)).toBe(false)
  })

  test('--dry-run writes nothing and shows no key', async () => {
    const printed = await setup({ transport: 'mcp', dryRun: true })
    expect(printed).toContain('"key": "****"')
    expect(printed).toContain('[mcp_servers.contextmd_hooks]')
    expect(existsSync(codexHome)).toBe(false)
  })
})

describe('taken back', () => {
  test('all of it: hooks, trust, server and token', async () => {
    await setup({ transport: 'mcp' })
    const old = token()
    expect(await takeBack()).toContain('is deleted')
    expect(existsSync(codexHome) ? readdirSync(codexHome) : []).toEqual([])
    expect(openTokens(pathsFrom(env).tokens, { now: () => Date.now() }).check(old, 'orchestration:read')).toBe('revoked')
  })

  test('the server is, when commands take over', async () => {
    mkdirSync(codexHome)
    writeFileSync(config, '{"theirs":{"url":"https://example.org"}}')
    await setup({ transport: 'mcp' })
    expect(Object.keys(servers())).toEqual(['theirs', 'contextmd_hooks'])
    await setup({ transport: 'command' })
    expect(types()).toEqual(new Set(['command']))
    expect(servers()).toEqual({ theirs: { url: 'https://example.org' } })
  })

  test('what can`t be taken out without Codex is told', async () => {
    await setup({ transport: 'mcp' })
    env = { ...env, CONTEXTMD_CODEX: '/no/such/program' }
    expect(await takeBack()).toContain('[mcp_servers.contextmd_hooks] is left')
    expect(existsSync(hookFile)).toBe(false)
  })
})
