import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EVENTS } from '../harness/grok/install-hooks.ts'
import { pathsFrom } from '../paths.ts'
import { openTokens } from '../state/tokens.ts'
import { remove as removeClaude, setUp as setUpClaude } from './setup-claude-code.ts'
import { remove, setUp } from './setup-grok.ts'
import type { SetupOptions } from './setup-options.ts'

let home: string
let project: string
let file: string
let env: NodeJS.ProcessEnv

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-setup-grok-')))
  project = join(home, 'project')
  mkdirSync(project)
  env = { HOME: home, PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  file = join(home, '.grok', 'hooks', 'contextmd.json')
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

const USUAL: SetupOptions = { scope: 'user', transport: null, port: null, dryRun: false }

function run(what: (io: Parameters<typeof setUp>[1]) => number): string {
  let output = ''
  const stream = { write: (text: string) => (output += text) }
  expect(what({ env, stdout: stream, stderr: stream })).toBe(0)
  return output
}

const setup = (more: Partial<SetupOptions> = {}) => run((io) => setUp({ ...USUAL, ...more }, io, project))
const takeBack = (scope: SetupOptions['scope'] = 'user') => run((io) => remove({ scope }, io, project))
const paths = () => pathsFrom(env)
const tokens = () => openTokens(paths().tokens, { now: () => Date.now() })
const token = () => /Bearer (\S+)/.exec(readFileSync(join(paths().hooks, 'grok.header'), 'utf8'))?.[1] ?? ''

/** Every file under the home with its bytes and mode. */
function everything(): Record<string, string> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  const all = files.map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    all.map((path) => [relative(home, path), `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, 'utf8')}`]),
  )
}

function give(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

describe('setup', () => {
  test('writes a hook file of its own, with one command for every event and no matcher', () => {
    setup()
    const { hooks } = JSON.parse(readFileSync(file, 'utf8'))
    expect(Object.keys(hooks)).toEqual([...EVENTS])
    for (const [event, groups] of Object.entries(hooks)) {
      const start = event === 'SessionStart' ? ' start' : ''
      const command = `sh '${paths().hooks}/contextmd-hook.sh' grok 4517 1${start} || exit 0`
      expect(groups).toEqual([{ hooks: [{ type: 'command', command, timeout: 2 }] }])
    }
  })

  test('the token stands in a private file and nowhere else', () => {
    const printed = setup()
    expect(tokens().check(token(), 'orchestration:read')).toBe('ok')
    expect(statSync(join(paths().hooks, 'grok.header')).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8') + printed).not.toContain(token())
  })

  test('twice changes nothing', () => {
    setup()
    const before = everything()
    expect(setup()).toContain('Nothing to do')
    expect(everything()).toEqual(before)
  })

  test('--dry-run shows the change and writes nothing', () => {
    const printed = setup({ dryRun: true })
    expect(printed).toContain('+    "PreToolUse": [')
    expect(everything()).toEqual({})
    setup()
    expect(setup({ dryRun: true })).toContain('Nothing would change')
  })

  test('a revoked token is renewed; another port replaces the command', () => {
    setup()
    const old = token()
    for (const { id } of tokens().list()) tokens().revoke(id)
    setup()
    expect(token()).not.toBe(old)
    setup({ port: 5000 })
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('grok 5000 1')
    expect(text).not.toContain('grok 4517')
    expect(setup()).toContain('Nothing to do')
  })

  test('GROK_HOME, and the project`s own hooks', () => {
    env = { ...env, GROK_HOME: join(home, 'elsewhere') }
    setup()
    expect(existsSync(join(home, 'elsewhere', 'hooks', 'contextmd.json'))).toBe(true)
    expect(setup({ scope: 'project' })).toContain('trusted')
    expect(existsSync(join(project, '.grok', 'hooks', 'contextmd.json'))).toBe(true)
  })

  test('http hooks are refused, in words that say why', () => {
    expect(() => setup({ transport: 'http' })).toThrow(/no http hooks/)
  })

  test('S10: other people`s hooks in a file of that name stay, with a backup', () => {
    const theirs = '{\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "./bell.sh x" }] }] }\n}\n'
    give(file, theirs)
    expect(setup()).toContain('as it was:')
    expect(readFileSync(`${file}.before-contextmd`, 'utf8')).toBe(theirs)
    expect(readFileSync(file, 'utf8')).toContain('./bell.sh x')
    expect(takeBack()).toContain('byte for byte')
    expect(readFileSync(file, 'utf8')).toBe(theirs)
  })

  test('a file that is not JSON is left as it is', () => {
    give(file, '{ "hooks": ')
    expect(() => setup()).toThrow(/not JSON/)
    expect(readFileSync(file, 'utf8')).toBe('{ "hooks": ')
  })

  test('S13: what switches our hooks off is said', () => {
    give(join(home, '.grok', 'requirements.toml'), '[ui]\nallow_managed_hooks_only = true\n')
    expect(setup()).toContain('administrator')
    give(join(home, '.grok', 'requirements.toml'), 'allow_managed_hooks_only = false\n')
    expect(setup()).not.toContain('administrator')
    give(join(home, '.grok', 'disabled-hooks'), 'global/contextmd:stop[0].hooks[0]\n')
    expect(setup()).toContain('switched off')
  })
})

describe('remove', () => {
  test('takes all of it back, and revokes the token', () => {
    give(join(home, '.grok', 'config.toml'), '')
    setup()
    const old = token()
    expect(takeBack()).toContain('is deleted')
    expect(readdirSync(join(home, '.grok'))).toEqual(['config.toml'])
    expect(existsSync(paths().hooks)).toBe(false)
    expect(tokens().check(old, 'orchestration:read')).not.toBe('ok')
    expect(takeBack()).toContain('nothing of ours')
  })

  test('hooks that were added to our file since stay', () => {
    setup()
    const settings = JSON.parse(readFileSync(file, 'utf8'))
    settings.hooks.Stop.push({ hooks: [{ type: 'command', command: './bell.sh x' }] })
    writeFileSync(file, JSON.stringify(settings, null, 2))
    expect(takeBack()).toContain('Our hooks are out of')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ hooks: { Stop: [{ hooks: [{ type: 'command', command: './bell.sh x' }] }] } })
  })

  test('without a record our file is found by its form', () => {
    setup()
    rmSync(join(paths().data, 'setup.json'))
    expect(takeBack()).toContain('is deleted')
    expect(existsSync(file)).toBe(false)
  })

  test('what another harness needs stays, whichever goes first', () => {
    const claude = { scope: 'user', transport: null, port: null, dryRun: false } as const
    setup()
    run((io) => setUpClaude(claude, io, project))
    run((io) => removeClaude({ scope: 'user' }, io, project))
    expect(setup()).toContain('Nothing to do')
    run((io) => setUpClaude(claude, io, project))
    takeBack()
    expect(readdirSync(paths().hooks)).toContain('contextmd-hook.sh')
    expect(run((io) => setUpClaude(claude, io, project))).toContain('Nothing to do')
  })
})

describe('the hook', () => {
  /** As the harness runs it: by a shell, with the event on stdin. */
  const hook = () => {
    const [group] = JSON.parse(readFileSync(file, 'utf8')).hooks.PreToolUse
    return execFileSync('sh', ['-c', group.hooks[0].command], {
      input: '{}',
      env: { ...env, GROK_HOOK_EVENT: 'pre_tool_use' },
      encoding: 'utf8',
    })
  }

  test('S11, S16: a missing or unreadable script, or a server that is not there, is no deny', () => {
    setup({ port: 1 })
    expect(hook()).toBe('')
    chmodSync(join(paths().hooks, 'contextmd-hook.sh'), 0o000)
    expect(hook()).toBe('')
    rmSync(paths().hooks, { recursive: true })
    expect(hook()).toBe('')
  })
})
