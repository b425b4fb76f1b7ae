/** Looks at and reads one file without surprises: a pipe never blocks, a huge file is not read, nothing throws. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs'
import type { Millis } from '../core/id.ts'

/** A rule of this size is a book. Nothing of it could be served, and reading it would delay the moment. */
export const MAX_ENTRY_BYTES = 1024 * 1024

/** A file that changed this shortly before it was read may change again within the same tick of the disk's clock. */
const SAME_TICK_MS = 50

/** Tells one state of a file from another. The change time also tells a change of permissions. */
export interface Stamp {
  readonly kind: 'file' | 'folder' | 'other'
  readonly device: number
  readonly inode: number
  readonly size: number
  readonly modified: number
  readonly changed: number
}

export type FileRead =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly stamp: Stamp }
  | { readonly kind: 'gone' }
  | { readonly kind: 'folder' | 'not-a-file' | 'too-large'; readonly stamp: Stamp }
  | { readonly kind: 'loop' | 'no-permission' | 'failed'; readonly why: string }

/** Follows symlinks. Null if there is nothing, or nothing that may be looked at. */
export function stampOf(path: string): Stamp | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats === undefined ? null : stampFrom(stats)
  } catch {
    // a loop of links or no permission on the way: reading it says which
    return null
  }
}

export function sameStamp(a: Stamp | null, b: Stamp | null): boolean {
  if (a === null || b === null) return a === b
  return a.changed === b.changed && a.modified === b.modified && a.size === b.size && a.inode === b.inode && a.device === b.device
}

/** True if another change could bear the same stamp: then the stamp alone does not tell that nothing changed. */
export function isRecent(stamp: Stamp, now: Millis): boolean {
  return Math.abs(now - stamp.changed) < SAME_TICK_MS
}

export function readFileOnce(path: string): FileRead {
  let handle: number | undefined
  try {
    // Without O_NONBLOCK, opening a named pipe waits for its writer.
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stamp = stampFrom(fstatSync(handle))
    if (stamp.kind === 'folder') return { kind: 'folder', stamp }
    if (stamp.kind === 'other') return { kind: 'not-a-file', stamp }
    const bytes = stamp.size > MAX_ENTRY_BYTES ? null : readWhole(handle, stamp.size)
    return bytes === null ? { kind: 'too-large', stamp } : { kind: 'read', bytes, stamp }
  } catch (thrown) {
    return refused(thrown)
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** Reads on past the size that was told, since the file may grow meanwhile; null once that passes the limit. */
function readWhole(handle: number, expected: number): Uint8Array | null {
  let buffer = Buffer.allocUnsafe(expected + 1)
  let length = 0
  for (;;) {
    const read = readSync(handle, buffer, length, buffer.length - length, null)
    length += read
    if (length > MAX_ENTRY_BYTES) return null
    if (read === 0) return buffer.subarray(0, length)
    if (length === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
  }
}

function refused(thrown: unknown): FileRead {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown'
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'gone' }
  if (code === 'ELOOP') return { kind: 'loop', why: code }
  if (code === 'EACCES' || code === 'EPERM') return { kind: 'no-permission', why: code }
  return { kind: 'failed', why: code }
}

function stampFrom(stats: Stats): Stamp {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other'
  return { kind, device: stats.dev, inode: stats.ino, size: stats.size, modified: stats.mtimeMs, changed: stats.ctimeMs }
}
