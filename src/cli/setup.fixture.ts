/** A temporary home with a project in it, and setup and removal run there. Import it once a test file: it makes and deletes the home. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { tokenIn } from '../install/hook.ts'
import { hooksIn, readSettings } from '../install/settings-text.ts'
import { pathsFrom } from '../paths.ts'
import { openTokens } from '../state/tokens.ts'
import { remove, setUp } from './setup-claude-code.ts'
import { parseRemoveOptions, parseSetupOptions } from './setup-options.ts'

/** Settings of a person, as they write them by hand. */
export const OTHERS = `{
  // mine
  "model": "opus",
  "hooks": {
    "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./guard.sh" }] }]
  }
}
`
export let home: string
export let project: string
/** Claude Code's user settings. */
export let settings: string
let env: NodeJS.ProcessEnv

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-setup-')))
  project = join(home, 'project')
  mkdirSync(project)
  env = { HOME: home, PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  settings = join(home, '.claude', 'settings.json')
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

export function paths() {
  return pathsFrom(env)
}

export function environment(): NodeJS.ProcessEnv {
  return env
}

/** For the rest of the test. */
export function setEnvironment(more: NodeJS.ProcessEnv): void {
  env = { ...env, ...more }
}

/** Gives what was printed. */
export function setup(...argv: string[]): string {
  return setupIn(project, ...argv)
}

export function setupIn(folder: string, ...argv: string[]): string {
  return outputOf((io) => setUp(parseSetupOptions(['claude-code', ...argv]), io, folder))
}

export function takeBack(...argv: string[]): string {
  return outputOf((io) => remove(parseRemoveOptions(['claude-code', ...argv]), io, project))
}

function outputOf(run: (io: Parameters<typeof setUp>[1]) => number): string {
  let output = ''
  const stream = { write: (text: string) => (output += text) }
  expect(run({ env, stdout: stream, stderr: stream })).toBe(0)
  return output
}

export function give(text: string, file = settings, mode = 0o600): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, mode)
}

export function read(file = settings): string {
  return readFileSync(file, 'utf8')
}

export function hooksOf(file = settings): readonly unknown[] {
  return hooksIn(readSettings(read(file), file))
}

export function tokensOf(file = settings): readonly string[] {
  return [...new Set(hooksOf(file).flatMap((hook) => tokenIn(hook) ?? []))]
}

export function tokens() {
  return openTokens(paths().tokens, { now: () => Date.now() })
}

/** Every file under the home with its bytes and mode, but for what git keeps. */
export function everything(): Record<string, string> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  const all = files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !path.includes('/.git/'))
  return Object.fromEntries(
    all.map((path) => [relative(home, path), `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, 'utf8')}`]),
  )
}
