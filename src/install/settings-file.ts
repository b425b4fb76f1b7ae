/**
 * The settings file on disk: read as it is, written whole or not at all, with its mode, its owner and its link kept.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { InstallError } from './install-error.ts'

/** It may hold a token. */
const NEW_FILE_MODE = 0o600
const FOLDER_MODE = 0o700
const BACKUP_ENDING = '.before-contextmd'

export interface SettingsFile {
  /** Where the harness looks for it. */
  readonly path: string
  /** The file itself, where `path` is a link. */
  readonly target: string
  /** Null: there is none. */
  readonly text: string | null
  readonly mode: number
  readonly owner: { readonly uid: number; readonly gid: number } | null
}

/** Throws an `InstallError`: `unreadable`, or `not_text` when it is not UTF-8. */
export function openSettings(path: string): SettingsFile {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
      return { path, target: path, text: null, mode: NEW_FILE_MODE, owner: null }
    const target = realpathSync(path)
    const { mode, uid, gid } = statSync(target)
    return { path, target, text: decoded(readFileSync(target), path), mode: mode & 0o777, owner: { uid, gid } }
  } catch (cause) {
    if (cause instanceof InstallError) throw cause
    throw new InstallError('unreadable', `${path} can't be read (${reason(cause)}). Nothing was changed`, null, { cause })
  }
}

function decoded(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new InstallError('not_text', `${path} is not UTF-8 text. Nothing was changed`, null, { cause })
  }
}

/** True if a folder had to be made. Throws an `InstallError`: `changed` when the file is no longer what was opened, `unwritable`. */
export function writeSettings(file: SettingsFile, text: string): boolean {
  if (openSettings(file.path).text !== file.text) {
    throw new InstallError('changed', `${file.path} was changed by another program just now. Nothing was written: run this again`)
  }
  try {
    const made = mkdirSync(dirname(file.target), { recursive: true, mode: FOLDER_MODE })
    replace(file.target, text, file.mode, file.owner)
    return made !== undefined
  } catch (cause) {
    throw new InstallError('unwritable', `${file.path} can't be written (${reason(cause)}). It is as it was`, null, { cause })
  }
}

/** Leaves the bytes as they were beside the file. */
export function writeBackup(file: SettingsFile): void {
  if (file.text !== null) replace(backupOf(file.path), file.text, file.mode, file.owner)
}

export function backupOf(path: string): string {
  return `${path}${BACKUP_ENDING}`
}

export function removeBackup(path: string): void {
  rmSync(backupOf(path), { force: true })
}

export function deleteSettings(file: SettingsFile): void {
  rmSync(file.target)
}

/** Of the bytes, in hex: tells whether a file is still what setup wrote. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function replace(target: string, text: string, mode: number, owner: SettingsFile['owner']): void {
  const draft = `${target}.${process.pid}.contextmd`
  rmSync(draft, { force: true })
  const descriptor = openSync(draft, 'wx', mode)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
    closeSync(descriptor)
    // The umask may have taken rights away.
    chmodSync(draft, mode)
    // Run by root on another's file: it must stay theirs.
    if (owner !== null && owner.uid !== process.getuid?.()) chownSync(draft, owner.uid, owner.gid)
    renameSync(draft, target)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw cause
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
