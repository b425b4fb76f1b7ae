/** Opens the state file under the lock: private, whole, of a form that this version knows. */
import { rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Backlog } from './backlog.ts'
import { asStateError, stateError } from './failure.ts'
import { identityOf, identityOfLog, identityWithLog, shmOf, walOf } from './file-identity.ts'
import { openLeaving, type Leaving } from './leaving.ts'
import { takeLock, type Lock } from './lock.ts'
import { migrate, refuseNewer } from './migrate.ts'
import { takeOwnership } from './owner.ts'
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

/**
 * What was deleted or replaced under us. `file`: the state itself. `lock`: the lock that makes it ours; another process may own it by now.
 * `log`: its write-ahead file, or that one's index.
 */
export type Loss = 'file' | 'lock' | 'log'

export interface Connection {
  readonly database: DatabaseSync
  readonly statements: Statements
  readonly backlog: Backlog
  /** Tells this very file with its log from others at the same paths. */
  readonly identity: string | null
  /** Null: every file is where it was. Costs some microseconds. */
  loss(): Loss | null
  /** To be asked within a transaction: false once another process has opened the file as its own. */
  isOurs(): boolean
  /** Never harms what another process wrote meanwhile. */
  close(): void
}

/** Throws a `StateError`. `isKnown`: the very file was open a moment ago, and need not be looked through. */
export function openConnection(file: string, lockFile: string, isKnown = false): Connection {
  const lock = takeLock(lockFile)
  try {
    return connect(file, lock, isKnown)
  } catch (thrown) {
    lock.release()
    throw asStateError(thrown, file)
  }
}

function connect(file: string, lock: Lock, isKnown: boolean): Connection {
  for (const each of [file, ...besides(file)]) makePrivateFile(each)
  // before it is opened: one that is replaced meanwhile is taken for lost
  const own = identityOf(file)
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  let leaving: Leaving | null = null
  try {
    refuseNewer(database, file)
    if (!isKnown) refuseDamaged(database, file)
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${AUTO_CHECKPOINT_PAGES}`)
    migrate(database)
    const statements = prepareStatements(database)
    // a file that can be read only is told here and not at the first moment
    const { isOurs } = takeOwnership(database, statements)
    const log = identityOfLog(file)
    const walIdentity = identityOf(walOf(file))
    const opened = openLeaving(file, database)
    leaving = opened
    const loss = (): Loss | null => {
      if (identityOf(file) !== own) return 'file'
      if (!lock.isInPlace()) return 'lock'
      return identityOfLog(file) === log ? null : 'log'
    }
    return {
      database,
      statements,
      // what waits is read when nobody else can add to it any more
      backlog: new Backlog(statements),
      identity: identityWithLog(file),
      loss,
      isOurs,
      close() {
        try {
          const lost = loss()
          const leavesWal = lost === 'file' && identityOf(walOf(file)) === walIdentity
          // the log that stands there by now is of a process that owns the file
          if (lost === 'lock' && identityOfLog(file) !== log) opened.leave()
          else opened.end()
          if (leavesWal) removeWal(file)
        } finally {
          lock.release()
        }
      },
    }
  } catch (thrown) {
    if (leaving === null) database.close()
    else leaving.end()
    throw thrown
  }
}

/** SQLite gives its companion files the mode of the main file when it makes them; those of an earlier run may be more open. */
function besides(file: string): readonly string[] {
  return [walOf(file), shmOf(file)].filter((each) => identityOf(each) !== null)
}

/**
 * SQLite leaves the write-ahead file where it is when the main file was moved or replaced under it. Read into the file that now
 * stands there, its pages would damage that one (sqlite.org/howtocorrupt.html).
 */
function removeWal(file: string): void {
  rmSync(walOf(file), { force: true })
  rmSync(shmOf(file), { force: true })
}

function refuseDamaged(database: DatabaseSync, file: string): void {
  if (statSync(file).size > QUICK_CHECK_MAX_BYTES) return
  const found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
  if (found !== 'ok') throw stateError('corrupt', file, `it is damaged (${String(found)})`)
}
