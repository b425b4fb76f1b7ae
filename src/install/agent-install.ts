/** Writes our endpoint for agents into one settings file, after a plan that can be shown, and takes it back. */
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { addServer, agentPortIn, takeServer } from './agent-edit.ts'
import { isOfSameEntry, type AgentRecord } from './agent-record.ts'
import type { AgentPlace, AgentServer } from './agent-server.ts'
import { removeIfEmpty, type Removed } from './install.ts'
import {
  backupOf,
  deleteSettings,
  hashOf,
  openSettings,
  removeBackup,
  type SettingsFile,
  writeBackup,
  writeSettings,
} from './settings-file.ts'
import { readSettings } from './settings-text.ts'

export interface AgentPlan {
  readonly place: AgentPlace
  readonly file: SettingsFile
  readonly text: string
  readonly created: readonly string[]
  readonly isChange: boolean
  /** Of our entry as it stands there; null: there is none. */
  readonly port: number | null
}

/** Writes nothing. Throws an `InstallError` when the file as it is can't be edited. */
export function planAgents(place: AgentPlace, server: AgentServer, record: AgentRecord | null): AgentPlan {
  const file = openSettings(place.file)
  const before = file.text ?? ''
  const { text, created } = addServer(before, place, server, record?.created ?? [])
  const ended = text.endsWith('\n') || file.text !== null ? text : `${text}\n`
  return { place, file, text: ended, created, isChange: ended !== file.text, port: agentPortIn(before, place) }
}

/** `others`: records of other entries of ours. Gives what is to be kept of it. Throws an `InstallError`. */
export function applyAgents(
  { place, file, text, created, isChange, port }: AgentPlan,
  record: AgentRecord | null,
  about: Pick<AgentRecord, 'harness' | 'scope' | 'project'>,
  others: readonly AgentRecord[],
): AgentRecord {
  const beside = others.find((other) => other.file === place.file && !isOfSameEntry(other, place)) ?? null
  const before = beforeOf(file, port !== null, beside, record)
  if (isChange && before.kind === 'backup' && port === null) writeBackup(file)
  const madeFolder = (isChange && writeSettings(file, text)) || (record?.madeFolder ?? false)
  const { format, keys } = place
  return { ...about, file: place.file, format, keys: [...keys], before, after: hashOf(text), created: [...created], madeFolder }
}

/** `beside`: another entry of ours in the same file. */
function beforeOf(file: SettingsFile, hasOurs: boolean, beside: AgentRecord | null, record: AgentRecord | null): AgentRecord['before'] {
  if (file.text === null) return { kind: 'none' }
  if (hasOurs) return record !== null && record.after === hashOf(file.text) ? record.before : { kind: 'changed' }
  // the backup of the first entry is of the file without any
  if (beside !== null) return beside.before.kind === 'none' ? beside.before : { kind: 'changed' }
  return { kind: 'backup', hash: hashOf(file.text) }
}

/** Takes our entry out: byte for byte what was there before where nobody has changed the file since. Throws an `InstallError`. */
export function takeAgents(place: AgentPlace, record: AgentRecord | null): Removed['way'] {
  const file = openSettings(place.file)
  if (file.text === null || agentPortIn(file.text, place) === null) return 'nothing'
  const original = originalOf(file, record)
  const text = original ?? takeServer(file.text, place, record?.created ?? [])
  if (record?.before.kind === 'none' && isEmpty(text, place)) {
    deleteSettings(file)
    if (record.madeFolder) removeIfEmpty(dirname(place.file))
    return 'deleted'
  }
  writeSettings(file, text)
  if (original === null) return 'edited'
  removeBackup(place.file)
  return 'restored'
}

/** What was there before setup, if nothing else has changed the file since; else null. */
function originalOf({ text }: SettingsFile, record: AgentRecord | null): string | null {
  if (text === null || record === null || record.before.kind !== 'backup' || record.after !== hashOf(text)) return null
  const { text: kept } = openSettings(backupOf(record.file))
  return kept !== null && hashOf(kept) === record.before.hash ? kept : null
}

function isEmpty(text: string, { format, file }: AgentPlace): boolean {
  return format === 'toml' ? text.trim() === '' : isDeepStrictEqual(readSettings(text, file), {})
}
