import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isOurHook } from '../install/hook.ts'
import { readSettings } from '../install/settings-text.ts'
import {
  OTHERS,
  home,
  settings,
  paths,
  setEnvironment,
  setup,
  takeBack,
  give,
  read,
  hooksOf,
  tokensOf,
  tokens,
  everything,
} from './setup.fixture.ts'
import { parseSetupOptions } from './setup-options.ts'

describe('setup', () => {
  test('on a new machine: settings, scripts, token, first store', () => {
    const output = setup()
    expect(statSync(settings).mode & 0o777).toBe(0o600)
    expect(hooksOf().every(isOurHook)).toBe(true)
    const [token = ''] = tokensOf()
    expect(tokens().check(token, 'orchestration:read')).toBe('ok')
    expect(tokens().check(token, 'control')).toBe('no-scope')
    const { data, config, serving } = paths()
    expect(read(join(data, 'hooks', 'claude-code.header'))).toBe(`authorization: Bearer ${token}\n`)
    expect(JSON.parse(read(serving))).toEqual({
      $schema: './schemas/serving.schema.json',
      stores: [{ name: 'rules', folder: join(config, 'rules') }],
    })
    expect(readdirSync(join(config, 'rules'))).toHaveLength(2)
    expect(output).not.toContain(token)
    expect(output).toMatch(/contextmd serve\n.*claude.*\n.*contextmd log/)
  })

  test('S10: keeps comments, order and hooks of others, and leaves a backup', () => {
    give(OTHERS, settings, 0o640)
    setup()
    expect(read()).toContain('  // mine\n  "model": "opus",\n')
    expect(hooksOf().filter((hook) => !isOurHook(hook))).toEqual([{ type: 'command', command: './guard.sh' }])
    expect(statSync(settings).mode & 0o777).toBe(0o640)
    expect(read(`${settings}.before-contextmd`)).toBe(OTHERS)
    expect(statSync(`${settings}.before-contextmd`).mode & 0o777).toBe(0o640)
  })

  test('running it twice changes nothing', () => {
    give(OTHERS)
    setup()
    const before = everything()
    expect(setup()).toContain('Nothing to do')
    expect(everything()).toEqual(before)
  })

  test('renews what has become stale: a script, a token that was revoked, another port', () => {
    setup()
    const [old = ''] = tokensOf()
    rmSync(join(paths().hooks, 'contextmd-hook.sh'))
    setup()
    expect(existsSync(join(paths().hooks, 'contextmd-hook.sh'))).toBe(true)
    expect(tokensOf()).toEqual([old])

    tokens().revoke(tokens().list()[0]?.id ?? '')
    setup('--port', '5000')
    const [renewed = ''] = tokensOf()
    expect(tokens().check(renewed, 'orchestration:read')).toBe('ok')
    expect(read()).not.toContain('4517')
    setup()
    expect(read()).toContain('127.0.0.1:5000')
    expect(readSettings(read(), '')['hooks']).toMatchObject({ Stop: [{ hooks: [{}] }] })
  })

  test('--dry-run: shows the change without the token and writes nothing', () => {
    give(OTHERS)
    const before = everything()
    const output = setup('--dry-run')
    expect(everything()).toEqual(before)
    expect(output).toContain('+        "hooks": [')
    expect(output).toMatch(/^--- .*settings\.json/m)
    setup()
    expect(setup('--dry-run', '--port', '5000')).not.toContain(tokensOf()[0])
    expect(setup('--dry-run')).toContain('Nothing would change')
  })

  test('--transport command: no token in the settings, one script for all events', () => {
    setup('--transport', 'command')
    expect(hooksOf().length).toBeGreaterThan(10)
    expect(read()).not.toContain('Bearer')
    setup()
    expect(read()).not.toContain('"http"')
  })

  test('the agent may read stores and notes, and nothing else', () => {
    const { config, serving, notes } = paths()
    setup()
    expect(readSettings(read(), '')['permissions']).toEqual({ allow: [`Read(/${config}/rules/**)`, `Read(/${notes}/**)`] })
    give(JSON.stringify({ stores: [{ name: 'team', folder: '~/team' }] }), serving)
    setup()
    expect(readSettings(read(), '')['permissions']).toEqual({ allow: [`Read(/${notes}/**)`, `Read(/${home}/team/**)`] })
  })

  test('a store that is there stays as it is', () => {
    const { serving, config } = paths()
    give('{"stores": []}', serving)
    setup()
    expect(read(serving)).toBe('{"stores": []}')
    expect(existsSync(join(config, 'rules'))).toBe(false)
  })

  test('S10: a link to the settings stays a link, and the backup stands beside it', () => {
    const real = join(home, 'dotfiles', 'claude.json')
    give(OTHERS, real)
    mkdirSync(dirname(settings))
    symlinkSync(real, settings)
    setup()
    expect(lstatSync(settings).isSymbolicLink()).toBe(true)
    expect(hooksOf(real).some(isOurHook)).toBe(true)
    expect(read(`${settings}.before-contextmd`)).toBe(OTHERS)
    takeBack()
    expect(lstatSync(settings).isSymbolicLink()).toBe(true)
    expect(read(real)).toBe(OTHERS)
  })

  test.each([
    ['broken JSON', '{\n  "a": 1\n  "b": 2\n}', /settings\.json:3: not JSON/],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
    ['no object', '[]', /not a JSON object/],
  ])('settings with %s: says so, and writes nothing at all', (_name, text, message) => {
    mkdirSync(dirname(settings))
    writeFileSync(settings, text)
    const before = everything()
    expect(() => setup()).toThrow(message)
    expect(everything()).toEqual(before)
  })

  test('settings that are a folder, or a link to nothing: says so, and writes nothing at all', () => {
    mkdirSync(settings, { recursive: true })
    expect(() => setup()).toThrow(/can't be read/)
    rmSync(settings, { recursive: true })
    symlinkSync(join(home, 'gone'), settings)
    expect(() => setup()).toThrow(/can't be read/)
    expect(existsSync(paths().data)).toBe(false)
  })

  test('S13: says what keeps the hooks from running', () => {
    give('{"disableAllHooks": true, "allowedHttpHookUrls": ["https://*"], "httpHookAllowedEnvVars": ["X"]}')
    const output = setup()
    expect(output).toContain(`"disableAllHooks" in ${settings}`)
    expect(output).toContain('"allowedHttpHookUrls"')
    expect(output).toContain('CONTEXTMD_OFF')
    expect(setup('--transport', 'command')).not.toContain('allowedHttpHookUrls')
    give('{"allowedHttpHookUrls": ["http://127.0.0.1:*"], "httpHookAllowedEnvVars": ["CONTEXTMD_OFF"]}')
    expect(setup('--transport', 'http')).not.toContain('Note:')
  })

  test('S13: says that comments in the settings keep Claude Code from reading them', () => {
    give(OTHERS)
    expect(setup()).toContain(`ignores settings with comments or trailing commas (${settings}:2)`)
    expect(takeBack()).toContain('byte for byte')
  })

  test('says when others may read the settings', () => {
    give(OTHERS, settings, 0o644)
    expect(setup()).toContain('chmod 600')
  })

  test('CONTEXTMD_HOOK_TIMEOUT changes the limit', () => {
    setEnvironment({ CONTEXTMD_HOOK_TIMEOUT: '10' })
    setup()
    expect(readSettings(read(), '')['hooks']).toMatchObject({
      Stop: [{ hooks: [{ timeout: 10 }] }],
      SessionStart: [{ hooks: [{ timeout: 11, command: expect.stringMatching(/ 4517 10 start \|\| exit 0$/) }] }],
    })
    setEnvironment({ CONTEXTMD_HOOK_TIMEOUT: 'soon' })
    expect(() => setup()).toThrow(/takes seconds/)
  })

  test('CLAUDE_CONFIG_DIR is respected', () => {
    setEnvironment({ CLAUDE_CONFIG_DIR: join(home, 'other') })
    setup()
    expect(existsSync(join(home, 'other', 'settings.json'))).toBe(true)
    expect(existsSync(settings)).toBe(false)
  })

  test.each([
    [['cursor'], /claude-code, codex, grok, opencode, not "cursor"/],
    [['claude-cod'], /did you mean claude-code/],
    [['codex', '--plugin'], /--plugin is for Claude Code/],
    [['claude-code', '--port', '0'], /--port takes/],
    [['claude-code', '--scope', 'users'], /did you mean user\?/],
    [['claude-code', '--transport', 'mcp'], /--transport mcp is for Codex/],
    [['claude-code', '--transport', 'socket'], /--transport is one of/],
  ])('%j: says what is wrong', (argv, message) => {
    expect(() => parseSetupOptions(argv)).toThrow(message)
  })
})
