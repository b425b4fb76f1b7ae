/**
 * One state file, kept open: transactions, failures turned into the state's own error, and what happens when the file is
 * locked, deleted or replaced under us.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Millis } from '../../core/id.ts'
import { StateError } from '../../state.ts'
import { identityOf, openConnection, type Connection } from './connection.ts'
import { asStateError, stateError } from './failure.ts'
import { forgetRemembered } from './update.ts'

/** After another program kept the file locked it is not asked for this long: each try holds up the event loop (T14). */
const LOCK_REST_MS = 1_000
/** How often it is looked whether the file at the path is still ours; a stat at each moment would tell nothing more. */
const LOOK_EVERY_MS = 1_000

export interface Database {
  /** Runs the work outside a transaction. */
  read<T>(work: (connection: Connection) => T): T
  /** Runs the work in one transaction, rolled back if it throws. */
  write<T>(work: (connection: Connection) => T): T
  /** Moves what was committed since the last one into the main file. Waits for the disk, up to some ten milliseconds. */
  checkpoint(): void
  close(): void
}

/** Throws a `StateError` if the file can't be opened. The methods throw one too, or what the work itself threw. */
export function openDatabase(file: string, lockFile: string, now: () => Millis): Database {
  let connection: Connection | null = openConnection(file, lockFile)
  /** Why there is no connection. */
  let failure: unknown = null
  let lookedAt = now()
  let lockedAt: Millis | null = null
  let isCheckpointed = false

  function current(): Connection {
    if (!isWithin(lookedAt, LOOK_EVERY_MS, now())) {
      lookedAt = now()
      if (connection === null || identityOf(file) !== connection.identity) openAnew()
    }
    if (connection === null) throw failure
    return connection
  }

  /** Throws, so that the loss is told once; the next call works if the file could be opened. */
  function openAnew(): never {
    if (isClosed()) throw failure
    try {
      const lost = connection
      connection = null
      lost?.close()
      connection = openConnection(file, lockFile)
      failure = stateError('failed', file, 'it was deleted or replaced while in use; it was opened anew, and running sessions begin anew')
    } catch (thrown) {
      failure = asStateError(thrown, file)
    }
    throw failure
  }

  function isClosed(): boolean {
    return failure instanceof StateError && failure.code === 'closed'
  }

  function guarded<T>(run: () => T): T {
    try {
      return run()
    } catch (thrown) {
      throw asStateError(thrown, file)
    }
  }

  function begin({ statements }: Connection): void {
    if (lockedAt !== null && isWithin(lockedAt, LOCK_REST_MS, now())) throw stateError('locked', file, 'another program holds it')
    lockedAt = null
    try {
      guarded(() => statements.begin.run())
    } catch (thrown) {
      if (thrown instanceof StateError && thrown.code === 'locked') lockedAt = now()
      throw thrown
    }
  }

  return {
    read: (work) => guarded(() => work(current())),
    write(work) {
      const open = guarded(current)
      begin(open)
      return guarded(() => {
        try {
          const result = work(open)
          open.statements.commit.run()
          isCheckpointed = false
          return result
        } catch (thrown) {
          // on a full disk SQLite has rolled back by itself
          if (open.database.isTransaction) rollBack(open.database)
          forgetRemembered(open.statements)
          throw thrown
        }
      })
    },
    checkpoint() {
      if (isCheckpointed) return
      guarded(() => checkpoint(current().database))
      isCheckpointed = true
    },
    close() {
      const open = connection
      connection = null
      failure = stateError('closed', file, 'it was closed')
      open?.close()
    },
  }
}

/** False too when the clock was set back. */
function isWithin(since: Millis, span: number, now: Millis): boolean {
  return now >= since && now - since < span
}

/**
 * The first write after a checkpoint begins the write-ahead file anew and waits until the disk has its header (sqlite.org/wal.html).
 * That write is done here, with nothing in it, so that no moment waits for it.
 */
function checkpoint(database: DatabaseSync): void {
  database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  const form = database.prepare('PRAGMA user_version').get()?.['user_version']
  database.exec(`PRAGMA user_version = ${Number(form)}`)
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite has rolled back by itself, or will when the file is opened again; the first failure is the one to tell
  }
}
