import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { EVENTS } from '../harness/claude-code/install-hooks.ts'
import { deletePlugin } from '../harness/claude-code/install-plugin.ts'
import { isOurHook } from '../install/hook.ts'
import { diagnose } from './doctor.ts'
import { allFindings } from './doctor-lines.ts'
import { remove } from './setup-claude-code.ts'
import { setUp } from './setup-claude-plugin.ts'
import { environment, everything, give, hooksOf, paths, project, setup, settings, tokens } from './setup.fixture.ts'
import { parseSetupOptions } from './setup-options.ts'

function io() {
  const printed = { text: '' }
  const write = (text: string) => (printed.text += text)
  return { printed, io: { env: environment(), stdout: { write }, stderr: { write } } }
}

function plugin(...argv: string[]): string {
  const { printed, io: out } = io()
  expect(setUp(parseSetupOptions(['claude-code', '--plugin', ...argv]), out)).toBe(0)
  return printed.text
}

const folder = () => join(paths().data, 'claude-code-plugin')
const hooks = () => JSON.parse(readFileSync(join(folder(), 'plugin', 'hooks', 'hooks.json'), 'utf8')).hooks

test('writes a marketplace of one plugin with our hooks, no token in it, and touches no settings', () => {
  const output = plugin()
  expect(Object.keys(hooks())).toEqual([...EVENTS])
  for (const groups of Object.values<{ hooks: unknown[] }[]>(hooks()))
    expect(groups.every((group) => group.hooks.every(isOurHook))).toBe(true)
  const { name, plugins } = JSON.parse(readFileSync(join(folder(), '.claude-plugin', 'marketplace.json'), 'utf8'))
  expect({ name, plugins }).toMatchObject({ name: 'contextmd', plugins: [{ name: 'contextmd', source: './plugin' }] })
  expect(JSON.parse(readFileSync(join(folder(), 'plugin', '.claude-plugin', 'plugin.json'), 'utf8'))).toMatchObject({ name: 'contextmd' })
  expect(existsSync(settings)).toBe(false)
  const [token = ''] = [/Bearer (\S+)/.exec(readFileSync(join(paths().hooks, 'claude-code.header'), 'utf8'))?.[1]]
  expect(tokens().check(token, 'orchestration:read')).toBe('ok')
  expect(JSON.stringify(hooks())).not.toContain('cmd_')
  expect(statSync(folder()).mode & 0o077).toBe(0)
  expect(output).toContain(`claude plugin marketplace add '${folder()}'`)
  expect(output).toContain('claude plugin install contextmd@contextmd')
})

test('again changes nothing and keeps its port; --dry-run writes nothing', () => {
  const empty = everything()
  expect(plugin('--dry-run')).toContain('Nothing was written.')
  expect(everything()).toEqual(empty)
  plugin('--port', '5000')
  const before = everything()
  plugin()
  expect(everything()).toEqual(before)
  expect(JSON.stringify(hooks())).toContain(' claude-code 5000 ')
})

test('http hooks would put the token into files that Claude Code copies: refused', () => {
  const { io: out } = io()
  expect(() => setUp(parseSetupOptions(['claude-code', '--plugin', '--transport', 'http']), out)).toThrow(/a token must not be copied/)
})

test('S17: as a plugin and in settings every hook runs twice: setup and doctor say so', async () => {
  setup()
  expect(plugin()).toContain('each would run twice')
  const value = JSON.parse(readFileSync(settings, 'utf8'))
  give(JSON.stringify({ ...value, enabledPlugins: { 'contextmd@contextmd': true } }))
  const findings = allFindings(await diagnose(io().io, project))
  expect(findings).toContainEqual(
    expect.objectContaining({ id: 'twice', level: 'warn', what: expect.stringContaining('every hook runs twice') }),
  )
})

test('doctor knows the plugin where Claude Code has it switched on, and says when its folder is gone', async () => {
  plugin()
  give('{"enabledPlugins": {"contextmd@contextmd": true}}')
  const about = async () =>
    allFindings(await diagnose(io().io, project)).filter(({ id, harness }) => id === 'hooks' && harness === 'claude-code')
  expect(await about()).toMatchObject([{ level: 'ok', what: expect.stringContaining('hooks.json') }])
  expect(hooksOf()).toEqual([])
  const { printed, io: out } = io()
  expect(remove({ scope: 'user' }, out, project)).toBe(0)
  expect(printed.text).toContain('claude plugin uninstall contextmd@contextmd')
  expect(existsSync(folder())).toBe(false)
  expect(await about()).toMatchObject([{ level: 'bad', fix: { kind: 'plugin' } }])
})

test('remove deletes what we wrote of the plugin, and leaves what a person has put beside it', () => {
  plugin()
  const own = join(folder(), 'plugin', 'commands', 'mine.md')
  mkdirSync(dirname(own), { recursive: true })
  writeFileSync(own, 'Mine.')
  expect(deletePlugin(paths().data)).toBe('others-left')
  expect(readFileSync(own, 'utf8')).toBe('Mine.')
  expect(readdirSync(folder())).toEqual(['plugin'])
  expect(readdirSync(join(folder(), 'plugin'))).toEqual(['commands'])
  rmSync(join(folder(), 'plugin'), { recursive: true })
  plugin()
  expect(deletePlugin(paths().data)).toBe('deleted')
  expect(existsSync(folder())).toBe(false)
  expect(deletePlugin(paths().data)).toBe('nothing')
})
