/**
 * Sets Claude Code up to post its moments to us: one settings file at a time.
 *
 * Setup is a plan first (nothing written), so that it can be shown, and refused, before a token is issued.
 */
import { join } from 'node:path'
import { addOurs, type Written } from '../../install/edit.ts'
import { gitStanding } from '../../install/git.ts'
import type { Found, Plan, SetupScope } from '../../install/install.ts'
import { InstallError } from '../../install/install-error.ts'
import type { SetupRecord } from '../../install/record.ts'
import { EVENTS, type HookChoice, hooksFor } from './install-hooks.ts'

/** The settings that a scope is set up in. `project` is the root of the project. */
export function settingsPath(scope: SetupScope, configFolder: string, project: string): string {
  return scope === 'user' ? join(configFolder, 'settings.json') : join(project, '.claude', 'settings.local.json')
}

interface Wish {
  readonly scope: SetupScope
  readonly choice: HookChoice
  /** Permission rules that let the agent read what a pointer names. */
  readonly rules: readonly string[]
  readonly record: SetupRecord | null
  readonly env: NodeJS.ProcessEnv
}

/** Throws an `InstallError`: `tracked` when a token would be committed. */
export function planSetup(found: Found, { scope, choice, rules, record, env }: Wish): Plan {
  const { file, hasOurs } = found
  const before = hasOurs ? (record?.written ?? writtenWithoutRecord(rules)) : null
  const { text, written } = addOurs(file.text ?? '', file.path, { hooks: hooksFor(choice), rules }, before)
  const plan = { found, choice, scope, text, written, isChange: text !== file.text }
  if (choice.transport === 'command') return { ...plan, exclude: null }
  const git = gitStanding(file.target, env)
  if (git.tracked) {
    throw new InstallError(
      'tracked',
      `${file.path} is committed with git, and a token must not be. Use --transport command (it keeps the token elsewhere)`,
    )
  }
  return { ...plan, exclude: scope === 'project' && file.target === file.path ? git.exclude : null }
}

/** What must be taken for ours where no record tells: `rules` are those that a setup would write now. */
export function writtenWithoutRecord(rules: readonly string[]): Written {
  return { created: ['hooks', ...EVENTS.map((event) => `hooks.${event}`), 'permissions', 'permissions.allow'], rules }
}
