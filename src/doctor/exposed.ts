/** Settings files that hold a token of ours and that others on the machine may read. Reads the file system. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Tokens } from '../state/tokens.ts'
import type { HarnessName } from '../core/id.ts'
import type { HarnessFacts } from './facts.ts'
import type { Finding } from './finding.ts'
import type { HookLayers } from './other-hooks.ts'

const OTHERS = 0o077
/** As tokens are issued; what only looks like one is not known to be ours. */
const TOKEN = /\bcmd_[A-Za-z0-9_-]+/g
const PRIVATE_MODE = 0o600

/** Where setup, or a person, may have written a token. */
export function settingsFiles(harness: HarnessName, { folder, project, home }: HookLayers): readonly string[] {
  switch (harness) {
    case 'claude-code':
      return [
        join(folder, 'settings.json'),
        join(project, '.claude', 'settings.json'),
        join(project, '.claude', 'settings.local.json'),
        join(folder, '.claude.json'),
        join(home, '.claude.json'),
        join(project, '.mcp.json'),
      ]
    case 'codex':
    case 'grok':
      return [join(folder, 'config.toml'), join(project, `.${harness}`, 'config.toml')]
    case 'opencode':
      return [folder, project, join(project, '.opencode')].flatMap((place) => OPENCODE.map((name) => join(place, name)))
    default:
      return harness satisfies never
  }
}

const OPENCODE = ['opencode.json', 'opencode.jsonc', 'config.json'] as const

/** `files`: absolute, whether they are there or not. */
export function exposed(files: readonly string[], tokens: Pick<Tokens, 'describe'>): readonly string[] {
  return [...new Set(files)].filter((file) => isOpen(file) && tokensIn(file).some((token) => tokens.describe(token) !== null))
}

export function checkExposed({ harness, exposed: files }: HarnessFacts): readonly Finding[] {
  return files.map((path) => ({
    id: 'private',
    harness,
    level: 'warn',
    what: `others on this machine may read ${path}, which holds our token`,
    cure: `chmod 600 ${path}`,
    fix: { kind: 'private', path, mode: PRIVATE_MODE },
  }))
}

function isOpen(file: string): boolean {
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0
}

function tokensIn(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').match(TOKEN) ?? []
  } catch {
    // what we may not read is no file of ours
    return []
  }
}
