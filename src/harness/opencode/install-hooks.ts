/**
 * Our copy of the plugin in the data folder, with the token beside it in a file that only its owner can read.
 *
 * A copy, since a package's own folder may be a cache that is emptied later (S16).
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pluginText } from './plugin-text.ts'

export const PLUGIN_FILE = 'opencode-plugin.js'
export const HEADER_FILE = 'opencode.header'

interface Wanted {
  readonly name: string
  readonly text: string
  readonly mode: number
}

function wantedFiles(token: string): readonly Wanted[] {
  return [
    { name: PLUGIN_FILE, text: pluginText(), mode: 0o600 },
    { name: HEADER_FILE, text: `authorization: Bearer ${token}\n`, mode: 0o600 },
  ]
}

/** Names of the files that are missing or not as they should be. Throws an `InstallError` where the plugin can't be had. */
export function staleHookFiles(folder: string, token: string): readonly string[] {
  return wantedFiles(token).flatMap(({ name, text }) => (readOrNull(join(folder, name)) === text ? [] : [name]))
}

/** Each is whole at every instant: OpenCode may start while it is replaced. */
export function writeHookFiles(folder: string, token: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  for (const { name, text, mode } of wantedFiles(token)) writeWhole(join(folder, name), text, mode)
}

/** Deletes what `writeHookFiles` wrote, and the folder if nothing else stands in it. */
export function deleteHookFiles(folder: string): void {
  for (const name of [PLUGIN_FILE, HEADER_FILE]) rmSync(join(folder, name), { force: true })
  removeIfEmpty(folder)
}

/** The token that the plugin sends; null if there is none. */
export function tokenInHookFiles(folder: string): string | null {
  return /Bearer (\S+)/.exec(readOrNull(join(folder, HEADER_FILE)) ?? '')?.[1] ?? null
}

export function writeWhole(file: string, text: string, mode: number): void {
  const draft = `${file}.${process.pid}.contextmd`
  writeFileSync(draft, text, { mode })
  renameSync(draft, file)
}

export function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** True if it was there and empty. */
export function removeIfEmpty(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    // something else stands in it, or it is gone already
    return false
  }
}
