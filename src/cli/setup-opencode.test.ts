import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pathsFrom } from '../paths.ts'
import { openTokens } from '../state/tokens.ts'
import type { SetupOptions } from './setup-options.ts'
import { remove, setUp } from './setup-opencode.ts'

let home: string
let project: string
let config: string
let env: NodeJS.ProcessEnv

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-setup-opencode-')))
  project = join(home, 'project')
  mkdirSync(project)
  env = { HOME: home, PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  config = join(home, '.config', 'opencode')
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
const header = () => readFileSync(join(paths().hooks, 'opencode.header'), 'utf8')
const token = () => /Bearer (\S+)/.exec(header())?.[1] ?? ''
const plugin = (folder = config) => join(folder, 'plugin', 'contextmd.js')
const give = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Every file under the home with its bytes and mode, but for what git keeps. */
function everything(): Record<string, string> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  const all = files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !path.includes('/.git/'))
  return Object.fromEntries(
    all.map((path) => [relative(home, path), `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, 'utf8')}`]),
  )
}

describe('setup', () => {
  test('puts a plugin beside other people`s, which loads as a plugin of OpenCode', async () => {
    give(join(config, 'plugin', 'mine.js'), 'export default () => ({})\n')
    give(join(config, 'opencode.json'), '{ // mine\n  "plugin": ["./other.js"],\n}\n')
    const before = everything()
    const output = setup()
    expect(output).toContain('OpenCode is set up (user settings, port 4517)')
    const after = everything()
    for (const [file, bytes] of Object.entries(before)) expect(after[file]).toBe(bytes)

    const loaded = (await import(pathToFileURL(plugin()).href)) as { readonly default: { readonly id: string; readonly server: unknown } }
    expect(Object.keys(loaded)).toEqual(['default'])
    expect(loaded.default.id).toBe('contextmd')
    const { server } = loaded.default
    if (typeof server !== 'function') throw new Error('no plugin')
    const hooks: unknown = await server({ client: {}, directory: project })
    expect(Object.keys(hooks ?? {})).toContain('tool.execute.before')
  })

  test('the token is in a file of its own, private to its owner, and nowhere else', () => {
    const output = setup()
    expect(tokens().check(token(), 'orchestration:read')).toBe('ok')
    const holders = Object.entries(everything()).filter(([, bytes]) => bytes.includes(token()))
    expect(holders.map(([file, bytes]) => `${file} ${bytes.slice(0, 3)}`)).toEqual(['.local/share/contextmd/hooks/opencode.header 600'])
    expect(output).not.toContain(token())
  })

  test('twice changes nothing; what is stale is renewed', () => {
    setup()
    const first = everything()
    expect(setup()).toContain('Nothing to do')
    expect(everything()).toEqual(first)
    writeFileSync(join(paths().hooks, 'opencode-plugin.js'), 'old')
    setup()
    expect(everything()).toEqual(first)
    const old = token()
    tokens().revoke(tokens().list()[0]?.id ?? '')
    setup()
    expect(token()).not.toBe(old)
    expect(tokens().check(token(), 'orchestration:read')).toBe('ok')
  })

  test('a dry run shows the change and writes nothing', () => {
    const before = everything()
    const output = setup({ dryRun: true, port: 4600 })
    expect(output).toContain(`+++ ${plugin()}`)
    expect(output).toContain('+  "port": 4600')
    expect(output).toContain('Nothing was written')
    expect(everything()).toEqual(before)
  })

  test('another port is kept at the next setup', () => {
    setup({ port: 4600 })
    expect(setup()).toContain('Nothing to do')
    expect(readFileSync(plugin(), 'utf8')).toContain('"port": 4600')
  })

  test('the folders of the rules may be read, and no others', () => {
    setup()
    expect(readFileSync(plugin(), 'utf8')).toContain(JSON.stringify(join(home, '.config', 'contextmd', 'rules')))
    expect(readFileSync(plugin(), 'utf8')).toContain(JSON.stringify(paths().notes))
  })

  test('a file of that name that is not ours is refused, and nothing is written', () => {
    give(plugin(), 'export default () => ({})\n')
    const before = everything()
    expect(() => setup()).toThrow(/not ours/)
    expect(everything()).toEqual(before)
  })

  test('there is no other transport', () => {
    expect(() => setup({ transport: 'http' })).toThrow(/leave --transport out/)
  })
})

describe('the folder for packages', () => {
  const modules = () => join(config, 'node_modules')

  test('is prepared where there is none, so that OpenCode`s start waits for no network', () => {
    expect(setup()).toContain('prepared so that it does not')
    expect(readdirSync(modules())).toEqual([])
    const lock = JSON.parse(readFileSync(join(config, 'package-lock.json'), 'utf8')) as { readonly packages: Record<string, object> }
    expect(lock.packages['']).toMatchObject({ dependencies: { '@opencode-ai/plugin': '1.18.33' } })
  })

  test('is left alone where somebody has packages', () => {
    give(join(config, 'package.json'), '{ "dependencies": { "mine": "1" } }\n')
    mkdirSync(modules())
    const output = setup()
    expect(output).toContain('will install its plugin package')
    expect(readFileSync(join(config, 'package.json'), 'utf8')).toBe('{ "dependencies": { "mine": "1" } }\n')
    takeBack()
    expect(existsSync(modules())).toBe(true)
  })

  test('is kept at removal once it is used', () => {
    setup()
    give(join(modules(), 'something', 'index.js'), '')
    expect(takeBack()).toContain('in use by now')
    expect(existsSync(join(config, 'package.json'))).toBe(true)
  })
})

describe('remove', () => {
  test('takes back every byte, and revokes the token', () => {
    give(join(config, 'plugin', 'mine.js'), 'export default () => ({})\n')
    const before = everything()
    setup()
    const issued = token()
    expect(takeBack()).toContain('Our plugin is out of')
    const after = Object.entries(everything()).filter(([file]) => !/contextmd\/(?:rules|schemas|serving|tokens)/.test(file))
    expect(Object.fromEntries(after)).toEqual(before)
    expect(tokens().check(issued, 'orchestration:read')).toBe('revoked')
    expect(takeBack()).toContain('nothing of ours')
  })

  test('folders that setup made go too', () => {
    setup()
    takeBack()
    expect(existsSync(config)).toBe(false)
  })

  test('a foreign file of that name stays', () => {
    setup()
    writeFileSync(plugin(), '// mine now\n')
    expect(takeBack()).toContain('is not ours')
    expect(readFileSync(plugin(), 'utf8')).toBe('// mine now\n')
  })
})

describe('a project', () => {
  const own = () => plugin(join(project, '.opencode'))
  const status = () => execFileSync('git', ['-C', project, 'status', '--porcelain', '--untracked-files=all'], { env, encoding: 'utf8' })

  test('has a plugin of its own, which git leaves out', () => {
    execFileSync('git', ['init', '--quiet', project], { env })
    expect(setup({ scope: 'project' })).toContain('left out of commits')
    expect(existsSync(own())).toBe(true)
    expect(status()).not.toContain('contextmd.js')
    expect(setup({ scope: 'project' })).toContain('Nothing to do')
    takeBack('project')
    expect(existsSync(join(project, '.opencode'))).toBe(false)
    expect(readFileSync(join(project, '.git', 'info', 'exclude'), 'utf8')).not.toContain('contextmd')
  })

  test('beside the person`s: both are named, and the token stays until the last one goes', () => {
    setup()
    expect(setup({ scope: 'project' })).toContain(`Also set up in ${config}`)
    const issued = token()
    expect(takeBack('project')).toContain(`Still set up in ${config}`)
    expect(tokens().check(issued, 'orchestration:read')).toBe('ok')
    takeBack()
    expect(tokens().check(issued, 'orchestration:read')).toBe('revoked')
  })
})
