/**
 * What SQLite and the file system throw, as the one error of the state.
 *
 * Everything else passes untouched: a bug in a step stays a bug with its own name.
 */
import { STATE_CURES, StateError } from '../../state.ts'

type Code = StateError['code']

/** SQLite's primary result codes (sqlite.org/rescode.html). An extended code carries its primary one in the low byte. */
const BY_SQLITE: Readonly<Record<number, readonly [Code, string]>> = {
  3: ['unwritable', 'access was refused'],
  5: ['locked', 'another program holds it'],
  6: ['locked', 'another program holds it'],
  8: ['unwritable', 'it is read-only'],
  10: ['full', 'the disk could not be written or read (full, over its quota, or broken)'],
  11: ['corrupt', 'it is damaged'],
  13: ['full', 'the disk is full'],
  14: ['unwritable', 'it can not be opened'],
  26: ['corrupt', 'it is not a database'],
}

const BY_SYSTEM: Readonly<Record<string, readonly [Code, string]>> = {
  EACCES: ['unwritable', 'access was refused'],
  EPERM: ['unwritable', 'access was refused'],
  EROFS: ['unwritable', 'the disk is read-only'],
  ENOTDIR: ['unwritable', 'a part of its path is a file, not a folder'],
  EEXIST: ['unwritable', 'its folder is a file'],
  ELOOP: ['unwritable', 'its path is a loop of links'],
  ENOENT: ['unwritable', 'its folder is not there'],
  ENOSPC: ['full', 'the disk is full'],
  EDQUOT: ['full', 'the disk quota is used up'],
}

/** A `StateError` whose message says what was being done, to which file, why it failed and what to do. */
export function stateError(code: Code, file: string, because: string, options?: ErrorOptions): StateError {
  return new StateError(code, `The file ${file} can't be used: ${because}. ${STATE_CURES[code]}`, options)
}

/** Gives the state's own error for a failure of SQLite or of the file system, and any other thrown value as it is. */
export function asStateError(thrown: unknown, file: string): unknown {
  if (!(thrown instanceof Error) || thrown instanceof StateError) return thrown
  const { code, errcode } = thrown as Error & { readonly code?: unknown; readonly errcode?: unknown } // Node adds both to its errors
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number') {
    const [kind, because] = BY_SQLITE[errcode & 0xff] ?? ['failed', `SQLite says "${thrown.message}" (${errcode})`]
    return stateError(kind, file, because, { cause: thrown })
  }
  const known = typeof code === 'string' ? BY_SYSTEM[code] : undefined
  return known === undefined ? thrown : stateError(known[0], file, known[1], { cause: thrown })
}
