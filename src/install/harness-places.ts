/** Where each harness has its program and its settings on a machine, by the documentation and defaults of each. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { HarnessName } from '../core/id.ts'
import { findProgram } from './find-program.ts'

export interface HarnessPlace {
  readonly harness: HarnessName
  readonly title: string
  /** Names of the program: the first that is there is taken. */
  readonly programs: readonly string[]
  /** Its settings folder. */
  readonly folder: string
}

export interface FoundHarness {
  readonly harness: HarnessName
  readonly title: string
  /** Null: no program was found. */
  readonly program: string | null
  /** Null: it has no settings yet. */
  readonly folder: string | null
}

/** Every harness that is known, with its places in this environment. Relative paths count from `from`. */
export function harnessPlaces(env: NodeJS.ProcessEnv, home: string, from: string): readonly HarnessPlace[] {
  const config = env['XDG_CONFIG_HOME'] || join(home, '.config')
  const grok = resolve(from, env['GROK_HOME'] || join(home, '.grok'))
  return [
    {
      harness: 'claude-code',
      title: 'Claude Code',
      programs: ['claude', join(home, '.claude', 'local', 'claude')],
      folder: resolve(from, env['CLAUDE_CONFIG_DIR'] || join(home, '.claude')),
    },
    {
      harness: 'codex',
      title: 'Codex',
      programs: [env['CONTEXTMD_CODEX'] || 'codex'],
      folder: resolve(from, env['CODEX_HOME'] || join(home, '.codex')),
    },
    { harness: 'grok', title: 'Grok Build', programs: ['grok', join(grok, 'bin', 'grok')], folder: grok },
    {
      harness: 'opencode',
      title: 'OpenCode',
      programs: ['opencode', join(home, '.opencode', 'bin', 'opencode')],
      folder: join(config, 'opencode'),
    },
  ]
}

/** Those with a program or settings on this machine. */
export function findHarnesses(env: NodeJS.ProcessEnv, home: string, from: string): readonly FoundHarness[] {
  return harnessPlaces(env, home, from)
    .map(({ harness, title, programs, folder }) => ({
      harness,
      title,
      program: programs.map((name) => findProgram(name, env['PATH'])).find((file) => file !== null) ?? null,
      folder: existsSync(folder) ? folder : null,
    }))
    .filter(({ program, folder }) => program !== null || folder !== null)
}
