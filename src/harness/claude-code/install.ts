/**
 * Sets Claude Code up to post its moments to us, and takes that back: one settings file at a time.
 *
 * Setup is a plan first (nothing written), so that it can be shown, and refused, before a token is issued.
 */
import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { addOurs, takeOurs, type Written, writtenWithoutRecord } from './install-edit.ts'
import { backupOf, deleteSettings, hashOf, openSettings, type SettingsFile, writeBackup, writeSettings } from './install-file.ts'
import { excludeFromGit, gitStanding, includeInGit } from './install-git.ts'
import { type HookChoice, hooksFor, isOurHook, tokenIn } from './install-hooks.ts'
import { InstallError } from './install-error.ts'
import type { SetupRecord } from './install-record.ts'
import { hooksIn, readSettings } from './install-settings.ts'

export type SetupScope = SetupRecord['scope']

/** The settings that a scope is set up in. `project` is the root of the project. */
export function settingsPath(scope: SetupScope, configFolder: string, project: string): string {
  return scope === 'user' ? join(configFolder, 'settings.json') : join(project, '.claude', 'settings.local.json')
}

export interface Found {
  readonly file: SettingsFile
  /** Tokens in hooks of ours. */
  readonly tokens: readonly string[]
  readonly hasOurs: boolean
}

/** Reads a settings file and checks that it can be edited. Throws an `InstallError`. */
export function findIn(path: string): Found {
  const file = openSettings(path)
  const ours = hooksIn(readSettings(file.text ?? '', path)).filter((hook) => isOurHook(hook))
  return { file, tokens: [...new Set(ours.flatMap((hook) => tokenIn(hook) ?? []))], hasOurs: ours.length > 0 }
}

export interface Plan {
  readonly found: Found
  readonly choice: HookChoice
  readonly scope: SetupScope
  readonly text: string
  readonly written: Written
  readonly isChange: boolean
  /** Git's exclude file, if a line must be added there so that the token is not committed. */
  readonly exclude: string | null
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

/** Writes what was planned, and the backup before it. Throws an `InstallError`; then the settings are as they were. */
export function applySetup(plan: Plan, record: SetupRecord | null): SetupRecord {
  const { file, hasOurs } = plan.found
  const before = beforeOf(plan, record)
  if (plan.exclude !== null) excludeFromGit(plan.exclude, file.path)
  if (plan.isChange && !hasOurs) writeBackup(file)
  const madeFolder = plan.isChange && writeSettings(file, plan.text)
  return {
    scope: plan.scope,
    file: file.path,
    before,
    after: hashOf(plan.text),
    written: { created: [...plan.written.created], rules: [...plan.written.rules] },
    madeFolder: madeFolder || (hasOurs && (record?.madeFolder ?? false)),
    exclude: plan.exclude ?? record?.exclude ?? null,
    transport: plan.choice.transport,
    port: plan.choice.port,
  }
}

function beforeOf({ found: { file, hasOurs } }: Plan, record: SetupRecord | null): SetupRecord['before'] {
  if (!hasOurs) return file.text === null ? { kind: 'none' } : { kind: 'backup', hash: hashOf(file.text) }
  const isAsWeLeftIt = record !== null && file.text !== null && record.after === hashOf(file.text)
  return isAsWeLeftIt ? record.before : { kind: 'changed' }
}

export interface Removed {
  /** `restored`: byte for byte what was there; `deleted`: there was no file before; `edited`: our parts only; `nothing`: none of ours. */
  readonly way: 'restored' | 'deleted' | 'edited' | 'nothing'
  /** A backup that was left, since the settings were changed after setup. */
  readonly backup: string | null
}

/** Takes back what setup wrote into a settings file. `rules` are taken out where no record tells which ones setup wrote. */
export function undoSetup({ file }: Found, record: SetupRecord | null, rules: readonly string[]): Removed {
  const way = undoSettings(file, record, rules)
  if (record?.exclude) includeInGit(record.exclude, file.path)
  const backup = backupOf(file.path)
  if (way === 'restored') rmSync(backup, { force: true })
  if (record?.madeFolder) removeIfEmpty(dirname(file.path))
  return { way, backup: existsSync(backup) ? backup : null }
}

function undoSettings(file: SettingsFile, record: SetupRecord | null, rules: readonly string[]): Removed['way'] {
  if (file.text === null) return 'nothing'
  const text = originalOf(file, record) ?? takeOurs(file.text, file.path, record?.written ?? writtenWithoutRecord(rules))
  if (text === file.text) return 'nothing'
  if (record?.before.kind === 'none' && isDeepStrictEqual(readSettings(text, file.path), {})) {
    deleteSettings(file)
    return 'deleted'
  }
  writeSettings(file, text)
  return record?.before.kind === 'backup' && record.before.hash === hashOf(text) ? 'restored' : 'edited'
}

/** What was there before setup, if nothing else has changed the settings since; else null. */
function originalOf(file: SettingsFile, record: SetupRecord | null): string | null {
  if (record?.before.kind !== 'backup' || file.text === null || record.after !== hashOf(file.text)) return null
  const { text } = openSettings(backupOf(file.path))
  return text !== null && hashOf(text) === record.before.hash ? text : null
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Something else stands in it by now.
  }
}
