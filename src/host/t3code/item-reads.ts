/** Which watched files a finished item has read: by the harness's read tool, or by a shell reader that succeeded. */
import { isAbsolute, resolve } from 'node:path'
import { id, type CallId, type HarnessName } from '../../core/id.ts'
import type { WatchedFile } from '../../core/watch.ts'
import type { HostLook } from '../../host.ts'
import { readsIn } from '../../match/reads.ts'
import type { T3Database } from './database.ts'
import { doneCalls, objectIn, type Item } from './items.ts'
import { resultTexts } from './result-text.ts'
import { DRIVERS } from './tables.ts'

export interface ItemRead {
  readonly item: Item
  readonly call: CallId
  /** Watched files, as the watch names them. */
  readonly paths: readonly string[]
}

export function itemReads(database: T3Database, threads: readonly string[], look: HostLook): readonly ItemRead[] {
  return doneCalls(database, threads, DRIVERS[look.harness]).flatMap((item) => {
    const paths = filesRead(item, look)
    return paths.length === 0 ? [] : [{ item, call: id<CallId>(item.call), paths }]
  })
}

function filesRead(item: Item, look: HostLook): readonly string[] {
  if (item.status !== 'completed' || !hasSucceeded(item, look.harness)) return []
  const named = pathsNamed(item, look)
  if (named.length === 0) return []
  const texts = resultTexts(item)
  return look.watch.files.flatMap((file) => (isReadOf(file, named, texts, item) ? [file.path] : []))
}

/** What was read before the file was changed is not its text (law 15); a line of the file must stand in the result (law 12). */
function isReadOf(file: WatchedFile, named: readonly string[], texts: readonly string[], item: Item): boolean {
  if (file.changedAt !== undefined && (item.doneAt === null || item.doneAt < file.changedAt)) return false
  return named.some((path) => file.isSame(path)) && texts.some((text) => file.hasLineIn(text))
}

/**
 * Claude Code's items never have an exit code: a failed call has the status `failed`, one that was broken off says so. All others
 * must say 0, as a number: none, null and -1 are no success (R7, R8).
 */
function hasSucceeded({ type, payload }: Item, harness: HarnessName): boolean {
  if (type === 'dynamic_tool') return true
  if (harness !== 'claude-code') return payload['exitCode'] === 0
  return payload['exitCode'] === undefined && !isBrokenOff(payload['output'])
}

function isBrokenOff(output: unknown): boolean {
  if (typeof output !== 'string' || !output.startsWith('{')) return false
  try {
    return objectIn(JSON.parse(output))['interrupted'] === true
  } catch {
    return false
  }
}

/** Paths that the call says it reads; whether it did, the result shows. */
function pathsNamed({ type, payload }: Item, { folder }: HostLook): readonly string[] {
  if (type === 'command_execution') {
    const command = payload['input']
    return typeof command !== 'string' || folder === null ? [] : readsIn(command, folder)
  }
  if (!READ_TOOLS.has(String(payload['toolName']).toLowerCase())) return []
  const input = objectIn(payload['input'])
  const named = PATH_KEYS.flatMap((key) => (typeof input[key] === 'string' ? [input[key]] : []))
  return named.flatMap((path) => (isAbsolute(path) ? [path] : folder === null ? [] : [resolve(folder, path)]))
}

const READ_TOOLS: ReadonlySet<string> = new Set(['read', 'read_file'])
const PATH_KEYS = ['file_path', 'target_file', 'path'] as const
