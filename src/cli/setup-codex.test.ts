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
import { EVENTS } from '../harness/codex/install-hooks.ts'
import { pathsFrom } from '../paths.ts'
import { openTokens } from '../state/tokens.ts'
import { standIn } from './setup-codex.fixture.ts'
import { remove, setUp } from './setup-codex.ts'
import type { SetupOptions } from './setup-options.ts'

let home: string
let project: string
let file: string
let env: NodeJS.ProcessEnv
let answers: readonly string[]

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-setup-codex-')))
  project = join(home, 'project')
  mkdirSync(project)
  const program = standIn(join(home, 'bin', 'codex'))
  env = { HOME: home, PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', CONTEXTMD_CODEX: program }
  file = join(home, '.codex', 'hooks.json')
  answers = []
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

const USUAL: SetupOptions = { scope: 'user', transport: null, port: null, dryRun: false, yes: true }

async function run(what: (io: Parameters<typeof setUp>[1]) => Promise<number>): Promise<string> {
  let output = ''
  const stream = { write: (text: string) => (output += text) }
  const left = [...answers]
  const ask = async (question: string): Promise<string> => ((output += question), left.shift() ?? '')
  expect(await what({ env, stdout: stream, stderr: stream, ...(answers.length === 0 ? {} : { ask }) })).toBe(0)
  return output
}

const setup = (more: Partial<SetupOptions> = {}) => run((io) => setUp({ ...USUAL, ...more }, io, project))
const takeBack = (scope: SetupOptions['scope'] = 'user') => run((io) => remove({ scope }, io, project))
const paths = () => pathsFrom(env)
const tokens = () => openTokens(paths().tokens, { now: () => Date.now() })
const token = () => /Bearer (\S+)/.exec(readFileSync(join(paths().hooks, 'codex.header'), 'utf8'))?.[1] ?? ''
const trustedKeys = () =>
  existsSync(join(home, '.codex', 'trusted.json'))
    ? Object.keys(JSON.parse(readFileSync(join(home, '.codex', 'trusted.json'), 'utf8')))
    : []

/** Every file under the home with its bytes and mode, but for the program. */
function everything(): Record<string, string> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  const all = files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !path.endsWith('bin/codex'))
  return Object.fromEntries(
    all.map((path) => [relative(home, path), `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, 'utf8')}`]),
  )
}

function give(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const THEIRS = '{\n  "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./guard.sh x" }] }] }\n}\n'

describe('setup', () => {
  test('writes one command for every event, without a matcher, and whole seconds', async () => {
    env = { ...env, CONTEXTMD_HOOK_TIMEOUT: '1.5' }
    await setup()
    const { hooks, ...others } = JSON.parse(readFileSync(file, 'utf8'))
    expect(others).toEqual({})
    expect(Object.keys(hooks)).toEqual([...EVENTS])
    for (const [event, groups] of Object.entries(hooks)) {
      const start = event === 'SessionStart' ? ' start' : ''
      const command = `sh '${paths().hooks}/contextmd-hook.sh' codex 4517 1.5${start} || exit 0`
      expect(groups).toEqual([{ hooks: [{ type: 'command', command, timeout: 3 }] }])
    }
  })

  test('the token stands in a private file and nowhere else', async () => {
    const printed = await setup()
    expect(tokens().check(token(), 'orchestration:read')).toBe('ok')
    expect(statSync(join(paths().hooks, 'codex.header')).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8') + printed).not.toContain(token())
  })

  test('twice changes nothing', async () => {
    await setup()
    const before = everything()
    expect(await setup()).toContain('Nothing to do')
    expect(everything()).toEqual(before)
  })

  test('--dry-run shows the change, writes nothing and starts nothing', async () => {
    env = { ...env, CONTEXTMD_CODEX: '/no/such/program' }
    const printed = await setup({ dryRun: true })
    expect(printed).toContain('+    "PreToolUse": [')
    expect(printed).toContain('may trust these hooks')
    expect(everything()).toEqual({})
  })

  test('a revoked token is renewed; another port replaces the command and is trusted anew', async () => {
    await setup()
    const old = token()
    for (const { id } of tokens().list()) tokens().revoke(id)
    await setup()
    expect(token()).not.toBe(old)
    expect(await setup({ port: 5000 })).toContain('trust     given')
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('codex 5000 1')
    expect(text).not.toContain('codex 4517')
    expect(await setup()).toContain('Nothing to do')
  })

  test('CODEX_HOME, and the project`s own hooks', async () => {
    env = { ...env, CODEX_HOME: join(home, 'elsewhere') }
    await setup()
    expect(existsSync(join(home, 'elsewhere', 'hooks.json'))).toBe(true)
    expect(await setup({ scope: 'project' })).toContain('every hook runs twice')
    expect(existsSync(join(project, '.codex', 'hooks.json'))).toBe(true)
  })

  test('http hooks are refused, in words that say why', async () => {
    await expect(setup({ transport: 'http' })).rejects.toThrow(/no http hooks/)
  })

  test('S10: other people`s hooks stay, before ours, with a backup', async () => {
    give(file, THEIRS)
    expect(await setup()).toContain('as it was:')
    expect(readFileSync(`${file}.before-contextmd`, 'utf8')).toBe(THEIRS)
    const [theirs, ours] = JSON.parse(readFileSync(file, 'utf8')).hooks.PreToolUse
    expect([theirs.matcher, theirs.hooks[0].command, ours.matcher]).toEqual(['Bash', './guard.sh x', undefined])
    expect(await takeBack()).toContain('byte for byte')
    expect(readFileSync(file, 'utf8')).toBe(THEIRS)
  })

  test('S5: a file with comments, which Codex ignores as a whole, is told', async () => {
    give(file, '{\n  // ours\n  "hooks": {}\n}\n')
    expect(await setup()).toContain(`ignores a hook file with comments or trailing commas (${file}:2)`)
  })

  test('a file that is not JSON is left as it is', async () => {
    give(file, '{ "hooks": ')
    await expect(setup()).rejects.toThrow(/not JSON/)
    expect(readFileSync(file, 'utf8')).toBe('{ "hooks": ')
  })
})

describe('trust', () => {
  test('S13: is given to our hooks only, once the person agrees and has seen the command', async () => {
    give(file, THEIRS)
    answers = ['y']
    const printed = await setup({ yes: false })
    expect(printed).toContain(`To be trusted, for ${EVENTS.length} events:\n  sh '`)
    expect(printed).toContain('trust     given')
    expect(trustedKeys()).toHaveLength(EVENTS.length)
    expect(trustedKeys().filter((key) => key.includes(':PreToolUse:'))).toEqual([`${file}:PreToolUse:1:0`])
  })

  test.each([[['n']], [['']], [[]]])('S13: is not given without a yes, and the person is told what follows: %j', async (given) => {
    answers = given
    expect(await setup({ yes: false })).toContain('skips them without a word')
    expect(trustedKeys()).toEqual([])
    expect(await setup()).toContain('trust     given')
  })

  test('S13: Codex is not there, or refuses: the hooks are set up, and the person is told what to do', async () => {
    env = { ...env, CONTEXTMD_CODEX: join(home, 'no-such-program') }
    expect(await setup()).toMatch(/not on the PATH[^]*hooks need review/)
    expect(existsSync(file)).toBe(true)
    env = { ...env, CONTEXTMD_CODEX: join(home, 'bin', 'codex'), STAND_IN_FAILS: 'config/batchWrite' }
    expect(await setup()).toMatch(/was refused[^]*hooks need review/)
  })

  test('S13: hooks that Codex does not see are told', async () => {
    env = { ...env, CONTEXTMD_CODEX: standIn(join(home, 'bin', 'codex-elsewhere')) }
    writeFileSync(
      join(home, 'bin', 'codex-elsewhere'),
      readFileSync(join(home, 'bin', 'codex-elsewhere'), 'utf8').replaceAll('hooks.json', 'nothing.json'),
    )
    expect(await setup()).toContain('Codex does not see the hooks')
  })

  test('a hook that the person switched off in Codex stays off', async () => {
    await setup()
    const states = JSON.parse(readFileSync(join(home, '.codex', 'trusted.json'), 'utf8'))
    const key = `${file}:Stop:0:0`
    writeFileSync(join(home, '.codex', 'trusted.json'), JSON.stringify({ ...states, [key]: { ...states[key], enabled: false } }))
    await setup({ port: 5000 })
    expect(JSON.parse(readFileSync(join(home, '.codex', 'trusted.json'), 'utf8'))[key].enabled).toBe(false)
  })
})

describe('remove', () => {
  test('takes all of it back, the trust too, and revokes the token', async () => {
    give(join(home, '.codex', 'config.toml'), '')
    await setup()
    const old = token()
    expect(await takeBack()).toContain('is deleted')
    expect(readdirSync(join(home, '.codex'))).toEqual(['config.toml'])
    expect(existsSync(paths().hooks)).toBe(false)
    expect(tokens().check(old, 'orchestration:read')).not.toBe('ok')
    expect(await takeBack()).toContain('nothing of ours')
  })

  test('other people`s hooks and their trust stay', async () => {
    give(file, THEIRS)
    give(join(home, '.codex', 'trusted.json'), JSON.stringify({ other: { enabled: true, trusted_hash: 'x' } }))
    await setup()
    await takeBack()
    expect(trustedKeys()).toEqual(['other'])
  })

  test('hooks that were added to the file since stay', async () => {
    await setup()
    const settings = JSON.parse(readFileSync(file, 'utf8'))
    settings.hooks.Stop.push({ hooks: [{ type: 'command', command: './bell.sh x' }] })
    writeFileSync(file, JSON.stringify(settings, null, 2))
    expect(await takeBack()).toContain('Our hooks are out of')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ hooks: { Stop: [{ hooks: [{ type: 'command', command: './bell.sh x' }] }] } })
  })

  test('without Codex the hooks go all the same, and the person is told what is left', async () => {
    await setup()
    env = { ...env, CONTEXTMD_CODEX: '/no/such/program' }
    expect(await takeBack()).toContain('The trust in our hooks is left')
    expect(existsSync(file)).toBe(false)
  })
})

describe('the hook', () => {
  /** As the harness runs it: by a shell, with the event on stdin. */
  const hook = () => {
    const [group] = JSON.parse(readFileSync(file, 'utf8')).hooks.PreToolUse
    return execFileSync('sh', ['-c', group.hooks[0].command], { input: '{}', env, encoding: 'utf8' })
  }

  test('S11, S16: a missing or unreadable script, or a server that is not there, is no deny', async () => {
    await setup({ port: 1 })
    expect(hook()).toBe('')
    chmodSync(join(paths().hooks, 'contextmd-hook.sh'), 0o000)
    expect(hook()).toBe('')
    rmSync(paths().hooks, { recursive: true })
    expect(hook()).toBe('')
  })
})
