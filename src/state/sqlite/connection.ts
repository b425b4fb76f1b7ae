/** Opens the state file under the lock: private, whole, of a form that this version knows. */
import { rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Backlog } from './backlog.ts'
import { asStateError, stateError } from './failure.ts'
import { identityOf } from './file-identity.ts'
import { takeLock, type Lock } from './lock.ts'
import { KNOWN_FORM, migrate, refuseNewer } from './migrate.ts'
import { makePrivateFile } from './private-file.ts'
import { prepareStatements, type Statements } from './statements.ts'

/** How long one call waits for a database that another program has locked (law 17). The event loop stands still meanwhile. */
const BUSY_TIMEOUT_MS = 20
/** Above this the whole file is not looked through at the start, since that reads all of it; `check` does so when asked. */
const QUICK_CHECK_MAX_BYTES = 64 * 1024 * 1024
/**
 * Pages of the write-ahead file (4 KB each) after which SQLite checkpoints by itself, within each commit from then on: the event loop waits
 * for the disk then. The upkeep does it elsewhere and long before; this bounds the file where nothing else can.
 */
const AUTO_CHECKPOINT_PAGES = 100_000

export interface Connection {
  readonly database: DatabaseSync
  readonly statements: Statements
  readonly backlog: Backlog
  /** Tells this very file from another one at the same path. */
  readonly identity: string | null
  close(): void
}

/** Throws a `StateError`. */
export function openConnection(file: string, lockFile: string): Connection {
  const lock = takeLock(lockFile)
  try {
    return connect(file, lock)
  } catch (thrown) {
    lock.release()
    throw asStateError(thrown, file)
  }
}

function connect(file: string, lock: Lock): Connection {
  for (const each of [file, ...besides(file)]) makePrivateFile(each)
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    refuseNewer(database, file)
    refuseDamaged(database, file)
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${AUTO_CHECKPOINT_PAGES}`)
    migrate(database)
    // a file that can be read only is told here and not at the first moment
    database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${KNOWN_FORM}; ROLLBACK`)
    const identity = identityOf(file)
    const walIdentity = identityOf(walOf(file))
    const statements = prepareStatements(database)
    return {
      database,
      statements,
      backlog: new Backlog(statements),
      identity,
      close() {
        try {
          const leavesWal = identityOf(file) !== identity && identityOf(walOf(file)) === walIdentity
          database.close()
          if (leavesWal) removeWal(file)
        } finally {
          lock.release()
        }
      },
    }
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

/** SQLite gives its companion files the mode of the main file when it makes them; those of an earlier run may be more open. */
function besides(file: string): readonly string[] {
  return [walOf(file), `${file}-shm`].filter((each) => identityOf(each) !== null)
}

function walOf(file: string): string {
  return `${file}-wal`
}

/**
 * SQLite leaves the write-ahead file where it is when the main file was moved or replaced under it. Read into the file that now
 * stands there, its pages would damage that one (sqlite.org/howtocorrupt.html).
 */
function removeWal(file: string): void {
  rmSync(walOf(file), { force: true })
  rmSync(`${file}-shm`, { force: true })
}

function refuseDamaged(database: DatabaseSync, file: string): void {
  if (statSync(file).size > QUICK_CHECK_MAX_BYTES) return
  const found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
  if (found !== 'ok') throw stateError('corrupt', file, `it is damaged (${String(found)})`)
}
