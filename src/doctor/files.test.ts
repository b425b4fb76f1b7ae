import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pathsFrom } from '../paths.ts'
import { checkDisk, checkPrivate } from './check-files.ts'
import { otherHooks, type HookLayers } from './other-hooks.ts'
import { unreadable } from './readable.ts'

let home: string
let layers: HookLayers

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-files-')))
  layers = { folder: join(home, 'agent'), project: join(home, 'project'), home }
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

function give(path: string, content: object | string): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const GUARD = {
  hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: './guard.sh' }] }], Stop: [{ hooks: [{ command: './bell.sh' }] }] },
}

describe('G12: hooks of others', () => {
  test('Claude Code: of all its settings, before a tool only, and none of ours', () => {
    const ours = { type: 'command', command: 'sh /data/contextmd-hook.sh claude-code 4517 1 || exit 0' }
    give('agent/settings.json', { hooks: { PreToolUse: [...GUARD.hooks.PreToolUse, { hooks: [ours] }] } })
    give('project/.claude/settings.json', GUARD)
    give('project/.claude/settings.local.json', '{ broken')
    expect(otherHooks('claude-code', layers)).toEqual([
      { file: join(home, 'agent', 'settings.json'), count: 1 },
      { file: join(home, 'project', '.claude', 'settings.json'), count: 1 },
    ])
  })

  test('Grok Build: of every hook file, and of Claude Code`s settings (S15)', () => {
    give('agent/hooks/guard.json', GUARD)
    give('.claude/settings.json', GUARD)
    expect(otherHooks('grok', layers).map(({ file }) => file)).toEqual([
      join(home, 'agent/hooks/guard.json'),
      join(home, '.claude/settings.json'),
    ])
  })

  test('OpenCode: plugins in its folders and in its settings, with comments in them', () => {
    give('agent/plugin/contextmd.js', '')
    give('agent/plugin/other.ts', '')
    give('project/opencode.jsonc', '{ // mine\n "plugin": ["./a.js", "b"], }')
    expect(otherHooks('opencode', layers)).toEqual([
      { file: join(home, 'project', 'opencode.jsonc'), count: 2 },
      { file: join(home, 'agent', 'plugin'), count: 1 },
    ])
  })

  test('where there is nothing', () => {
    for (const harness of ['claude-code', 'codex', 'grok', 'opencode'] as const) expect(otherHooks(harness, layers)).toEqual([])
  })
})

describe('G13: what keeps the agent from reading', () => {
  const rules = () => join(home, 'rules')
  beforeEach(() => void mkdirSync(rules()))
  const claude = (deny: readonly string[]) => {
    give('agent/settings.json', { permissions: { deny } })
    return unreadable('claude-code', layers, [rules(), join(home, 'not there yet')])
  }

  test.each([
    ['Read', 1],
    ['Read(**)', 1],
    ['Read(~/**)', 1],
    ['Read(~/rules/**)', 1],
    ['Read(~/other/**)', 0],
    ['Read(./rules/**)', 0],
    ['Read(~/rules/secret.md)', 0],
    ['Bash(cat *)', 0],
  ])('Claude Code with %s denied', (rule, count) => {
    expect(claude([rule])).toHaveLength(count)
  })

  test('an absolute path is written with two slashes', () => {
    expect(claude([`Read(/${rules()}/**)`])).toHaveLength(1)
  })

  test('OpenCode with "external_directory": "deny"', () => {
    expect(unreadable('opencode', layers, [rules()])).toEqual([])
    give('agent/opencode.json', { permission: { external_directory: 'deny' } })
    expect(unreadable('opencode', layers, [rules()])).toHaveLength(1)
    give('agent/opencode.json', { permission: { external_directory: 'ask' } })
    expect(unreadable('opencode', layers, [rules()])).toEqual([])
  })
})

describe('files with secrets', () => {
  test('are told where others may read them, with the call that mends it', () => {
    const paths = pathsFrom({ HOME: home, CONTEXTMD_DATA: join(home, 'data') })
    expect(checkPrivate(paths, paths.state)).toMatchObject([{ level: 'ok' }])
    mkdirSync(paths.data, { mode: 0o700 })
    const header = give('data/hooks/codex.header', 'x')
    chmodSync(header, 0o640)
    const script = give('data/hooks/contextmd-hook.sh', 'x')
    chmodSync(script, 0o755)
    expect(checkPrivate(paths, paths.state)).toMatchObject([
      { level: 'bad', cure: `chmod 600 ${header}`, fix: { kind: 'private', path: header, mode: 0o600 } },
    ])
    chmodSync(paths.data, 0o755)
    expect(checkPrivate(paths, paths.state).map(({ cure }) => cure)).toContain(`chmod 700 ${paths.data}`)
    for (const name of ['data/server.key', 'data/agents/codex.token', 'host/contextmd.sqlite', 'host/contextmd.sqlite-wal']) {
      const file = give(name, 'x')
      chmodSync(file, 0o644)
      expect(checkPrivate(paths, join(home, 'host', 'contextmd.sqlite')).map(({ cure }) => cure)).toContain(`chmod 600 ${file}`)
    }
  })

  test('the disk is looked at where the data folder will be', () => {
    expect(checkDisk({ data: join(home, 'a', 'b') }).what).toContain(' free for ')
  })
})
