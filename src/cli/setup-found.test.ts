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
import { pathsFrom } from '../paths.ts'
import { openTokens } from '../state/tokens.ts'
import { removeAll } from './remove.ts'
import { setUpChosen } from './setup.ts'
import { loadSetup } from './setup-harness.ts'
import { parseRemoveOptions, parseSetupOptions } from './setup-options.ts'
import { standIn } from './setup-codex.fixture.ts'

/** Settings of a person, in each harness's own form, by hand. */
const OTHERS: Readonly<Record<string, string>> = {
  '.claude/settings.json':
    '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "./bell.sh" }] }]\n  }\n}\n',
  '.codex/hooks.json': '{ "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "./bell.sh", "timeout": 5 } ] } ] } }\n',
  '.codex/config.toml': '# mine\nmodel = "gpt"   # the good one\n',
  '.grok/hooks/guard.json': '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"./guard.sh"}]}]}}',
  '.config/opencode/opencode.jsonc': '{\n  // mine\n  "plugin": ["./own.js"],\n}\n',
}

let home: string
let project: string
let env: NodeJS.ProcessEnv
let printed: string
let answers: string[] | null

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-found-')))
  project = join(home, 'project')
  mkdirSync(join(project, '.git'), { recursive: true })
  env = { HOME: home, PATH: `${join(home, 'bin')}:/usr/bin:/bin`, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  printed = ''
  answers = null
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

function give(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
}

function install(...names: readonly string[]): void {
  for (const name of names) {
    if (name === 'codex') standIn(join(home, 'bin', 'codex'))
    else give(join('bin', name), '#!/bin/sh\n')
    chmodSync(join(home, 'bin', name), 0o755)
  }
}

function io() {
  const write = (text: string) => (printed += text)
  const ask = async (question: string): Promise<string> => ((printed += question), answers?.shift() ?? '')
  return { env, stdout: { write }, stderr: { write }, ...(answers === null ? {} : { ask }) }
}

const setup = (...argv: string[]) => setUpChosen(parseSetupOptions(argv), io(), project)
const remove = (...argv: string[]) => removeAll(parseRemoveOptions(argv), io(), project)
const paths = () => pathsFrom(env)

/** Every file under the home with its bytes and mode, but for what a stand-in or git keeps. */
function everything(): Record<string, string> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  const all = files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !path.includes('/.git/'))
  return Object.fromEntries(
    all.map((path) => [relative(home, path), `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, 'utf8')}`]),
  )
}

describe('setup without a name', () => {
  test('finds agents by their program or by their settings, and sets up those, with the next steps once', async () => {
    install('claude', 'grok')
    mkdirSync(join(home, '.codex'))
    install('codex')
    expect(await setup('--yes')).toBe(0)
    expect(existsSync(join(home, '.claude', 'settings.json'))).toBe(true)
    expect(existsSync(join(home, '.codex', 'hooks.json'))).toBe(true)
    expect(existsSync(join(home, '.grok', 'hooks', 'contextmd.json'))).toBe(true)
    expect(existsSync(join(home, '.config', 'opencode'))).toBe(false)
    expect(printed.match(/^── /gm)).toHaveLength(3)
    expect(printed.match(/^Next:/gm)).toHaveLength(1)
    expect(openTokens(paths().tokens, { now: () => Date.now() }).list()).toHaveLength(3)
  })

  test('asks for each, and shows before what would change', async () => {
    install('claude', 'grok')
    answers = ['', 'n']
    expect(await setup()).toBe(0)
    expect(printed).toMatch(/^\+ {6}.*"hooks": \[[^]*Set up Claude Code\? \[Y\/n\]/m)
    expect(existsSync(join(home, '.claude', 'settings.json'))).toBe(true)
    expect(existsSync(join(home, '.grok', 'hooks'))).toBe(false)
  })

  test('--dry-run writes nothing; without a terminal and --yes it says what it found', async () => {
    install('claude', 'grok')
    const before = everything()
    expect(await setup('--dry-run')).toBe(0)
    await expect(setup()).rejects.toThrow(/found Claude Code, Grok Build: name one, or add --yes/)
    expect(everything()).toEqual(before)
  })

  test('on a machine without agents', async () => {
    await expect(setup('--yes')).rejects.toThrow(/no harness .* was found/)
  })

  test('S10: one that can`t be set up keeps no other from it', async () => {
    install('claude', 'grok')
    give('.claude/settings.json', '{ broken')
    expect(await setup('--yes')).toBe(1)
    expect(printed).toMatch(/contextmd: Claude Code: .*settings\.json:1: not JSON/)
    expect(readFileSync(join(home, '.claude', 'settings.json'), 'utf8')).toBe('{ broken')
    expect(existsSync(join(home, '.grok', 'hooks', 'contextmd.json'))).toBe(true)
  })

  test('again changes nothing', async () => {
    install('claude', 'codex', 'grok')
    await setup('--yes')
    const before = everything()
    printed = ''
    expect(await setup('--yes')).toBe(0)
    expect(everything()).toEqual(before)
    expect(printed).not.toContain('Next:')
  })
})

describe('S10: remove without a name', () => {
  test('takes back all of it, byte for byte, also in a project', async () => {
    install('claude', 'codex', 'grok', 'opencode')
    for (const [path, text] of Object.entries(OTHERS)) give(path, text)
    give('project/.claude/settings.local.json', '{"permissions": {"allow": []}}')
    const before = everything()
    await setup('--yes')
    for (const harness of ['claude-code', 'codex', 'grok', 'opencode'] as const)
      await (await loadSetup(harness)).setUp({ ...parseSetupOptions([harness, '--scope', 'project', '--yes']) }, io(), project)
    mkdirSync(paths().notes, { recursive: true })
    writeFileSync(join(paths().notes, '0123456789ab.md'), 'x')
    expect(await remove()).toBe(0)
    const own = (path: string) => path.startsWith(relative(home, paths().data)) || path.startsWith(relative(home, paths().config))
    const left = Object.fromEntries(Object.entries(everything()).filter(([path]) => !own(path) && path !== '.codex/trusted.json'))
    expect(left).toEqual(before)
    expect(existsSync(paths().notes)).toBe(false)
    expect(existsSync(paths().hooks)).toBe(false)
    expect(
      openTokens(paths().tokens, { now: () => Date.now() })
        .list()
        .every(({ revokedAt }) => revokedAt !== null),
    ).toBe(true)
    expect(existsSync(paths().serving)).toBe(true)
    expect(printed.match(/^Left as they are: /gm)).toHaveLength(1)
  })

  test('where settings were changed since, only our parts go', async () => {
    install('claude')
    give('.claude/settings.json', OTHERS['.claude/settings.json'] ?? '')
    await setup('--yes')
    const file = join(home, '.claude', 'settings.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"opus"', '"sonnet"'))
    expect(await remove()).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe((OTHERS['.claude/settings.json'] ?? '').replace('"opus"', '"sonnet"'))
  })

  test('also what a lost record left behind', async () => {
    install('claude', 'grok')
    await setup('--yes')
    rmSync(join(paths().data, 'setup.json'))
    expect(await remove()).toBe(0)
    expect(existsSync(join(home, '.grok', 'hooks', 'contextmd.json'))).toBe(false)
    expect(readFileSync(join(home, '.claude', 'settings.json'), 'utf8')).not.toContain('contextmd')
    expect(existsSync(paths().hooks)).toBe(false)
  })

  test('--data takes the data folder too, and asks first', async () => {
    install('grok')
    await setup('--yes')
    answers = ['n']
    expect(await remove('--data')).toBe(1)
    expect(existsSync(join(home, '.grok', 'hooks', 'contextmd.json'))).toBe(true)
    answers = ['y']
    expect(await remove('--data')).toBe(0)
    expect(existsSync(paths().data)).toBe(false)
    expect(existsSync(paths().serving)).toBe(true)
    answers = null
    await expect(remove('--data')).rejects.toThrow(/add --yes/)
  })

  test('where nothing was set up there is nothing to do', async () => {
    const before = everything()
    expect(await remove()).toBe(0)
    expect(everything()).toEqual(before)
  })
})
