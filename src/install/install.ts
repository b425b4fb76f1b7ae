/**
 * Writes a planned setup into one settings file of a harness, and takes it back.
 *
 * The plan itself is each harness's own. Nothing is written before a person could see it.
 */
import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { takeOurs, type Written } from './edit.ts'
import { excludeFromGit, includeInGit } from './git.ts'
import { isOurHook, tokenIn, type Transport } from './hook.ts'
import type { SetupRecord } from './record.ts'
import { backupOf, deleteSettings, hashOf, openSettings, type SettingsFile, writeBackup, writeSettings } from './settings-file.ts'
import { hooksIn, readSettings } from './settings-text.ts'

export type SetupScope = SetupRecord['scope']

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
  readonly choice: { readonly transport: Transport; readonly port: number }
  readonly scope: SetupScope
  readonly text: string
  readonly written: Written
  readonly isChange: boolean
  /** Git's exclude file, if a line must be added there so that the file is not committed. */
  readonly exclude: string | null
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

/** Takes back what setup wrote into a settings file. `unrecorded`: what is taken for ours where no record tells. */
export function undoSetup({ file }: Found, record: SetupRecord | null, unrecorded: Written): Removed {
  const way = undoSettings(file, record, unrecorded)
  if (record?.exclude) includeInGit(record.exclude, file.path)
  const backup = backupOf(file.path)
  if (way === 'restored') rmSync(backup, { force: true })
  if (record?.madeFolder) removeIfEmpty(dirname(file.path))
  return { way, backup: existsSync(backup) ? backup : null }
}

function undoSettings(file: SettingsFile, record: SetupRecord | null, unrecorded: Written): Removed['way'] {
  if (file.text === null) return 'nothing'
  const text = originalOf(file, record) ?? takeOurs(file.text, file.path, record?.written ?? unrecorded)
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

export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Something else stands in it by now.
  }
}
