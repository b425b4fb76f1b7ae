/**
 * The lock: one process at a time owns the state.
 *
 * It is an empty database with an exclusive transaction that stays open as long as the process lives, so the kernel frees it
 * however the process ends. A file with a process id in it would outlive a crash. Who deletes or replaces the lock file makes room for a
 * second owner: the first one looks now and then whether it still holds the file that others would lock.
 */
import { DatabaseSync } from 'node:sqlite'
import { STATE_CURES, StateError } from '../../state.ts'
import { asStateError } from './failure.ts'
import { identityOf } from './file-identity.ts'
import { makePrivateFile } from './private-file.ts'

/** Keeps the databases of held locks from being collected as garbage, which would close them and free the lock. */
const HELD = new Set<DatabaseSync>()

export interface Lock {
  /** False once another file, or none, stands where the locked one did. Costs some microseconds. */
  isInPlace(): boolean
  release(): void
}

/**
 * Takes the lock, or throws a `StateError`: `taken` if another one holds it for longer than `waitMs`, else why the lock file
 * can't be used.
 */
export function takeLock(lockFile: string, waitMs = 0): Lock {
  let database: DatabaseSync | null = null
  let identity: string | null = null
  try {
    makePrivateFile(lockFile)
    // before it is opened: one that is replaced meanwhile is taken for lost, and never one of another for ours
    identity = identityOf(lockFile)
    database = new DatabaseSync(lockFile, { timeout: waitMs })
    database.exec('BEGIN EXCLUSIVE')
  } catch (thrown) {
    database?.close()
    throw asTaken(thrown, lockFile)
  }
  return hold(database, () => identity !== null && identityOf(lockFile) === identity)
}

function hold(database: DatabaseSync, isInPlace: () => boolean): Lock {
  HELD.add(database)
  return {
    isInPlace,
    release() {
      if (HELD.delete(database)) database.close()
    },
  }
}

function asTaken(thrown: unknown, lockFile: string): unknown {
  const error = asStateError(thrown, lockFile)
  if (!(error instanceof StateError) || error.code !== 'locked') return error
  return new StateError('taken', `Another ContextMD holds the lock ${lockFile}. ${STATE_CURES.taken}`, { cause: thrown })
}
