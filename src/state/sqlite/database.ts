/**
 * One state file, kept open: transactions, failures turned into the state's own error, and what happens when the file is
 * locked, deleted or replaced under us.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Millis } from '../../core/id.ts'
import { StateError } from '../../state.ts'
import { openConnection, type Connection } from './connection.ts'
import { identityOf } from './file-identity.ts'
import { asStateError, stateError } from './failure.ts'

/** After another program kept the file locked it is not asked for this long: each try holds up the event loop (T14). */
const LOCK_REST_MS = 1_000
/** How often it is looked whether the file at the path is still ours; a stat at each moment would tell nothing more. */
const LOOK_EVERY_MS = 1_000

export interface Database {
  /** Runs the work outside a transaction. */
  read<T>(work: (connection: Connection) => T): T
  /** Runs the work in one transaction, rolled back if it throws. While writes are gathered, it is theirs. */
  write<T>(work: (connection: Connection) => T): T
  /**
   * Writes from now on are one transaction, until the function that it gives is called: it commits them, and throws if any could not
   * be written; then none was. Within one turn of the event loop only.
   */
  gather(): () => void
  /** As `write`, but nothing is written if the result does not ask for it. The work must leave that to the commit. */
  writeIf<T>(work: (connection: Connection) => T, isToWrite: (result: T) => boolean): T
  /** Commits what was gathered so far, if anything is. */
  commitGathered(): void
  /** A transaction of its own, after what was gathered so far. */
  writeApart<T>(work: (connection: Connection) => T): T
  /** Moves what was committed since the last one into the main file. Waits for the disk, up to some ten milliseconds. */
  checkpoint(): void
  /** Tells the file that is open from another one at its path. It is not looked at: that is for whoever can tell that it is gone. */
  opened(): string | null
  close(): void
}

/** Writes that are gathered: whether their transaction has begun, and why it failed. */
interface Gathering {
  isBegun: boolean
  failure: unknown
}

/** Throws a `StateError` if the file can't be opened. The methods throw one too, or what the work itself threw. */
export function openDatabase(file: string, lockFile: string, now: () => Millis): Database {
  let connection: Connection | null = openConnection(file, lockFile)
  /** Why there is no connection. */
  let failure: unknown = null
  let lookedAt = now()
  let lockedAt: Millis | null = null
  let isCheckpointed = false
  let gathering: Gathering | null = null

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
    if (gathering !== null) gathering.failure ??= failure
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

  function begin({ statements, backlog }: Connection): void {
    try {
      if (lockedAt !== null && isWithin(lockedAt, LOCK_REST_MS, now())) throw stateError('locked', file, 'another program holds it')
      lockedAt = null
      guarded(() => statements.begin.run())
    } catch (thrown) {
      if (thrown instanceof StateError && thrown.code === 'locked') lockedAt ??= now()
      backlog.rolledBack()
      throw thrown
    }
  }

  function commit(open: Connection): void {
    open.backlog.write()
    open.statements.commit.run()
    open.backlog.committed()
    isCheckpointed = false
  }

  function takeBack(open: Connection): void {
    // on a full disk SQLite has rolled back by itself
    if (open.database.isTransaction) rollBack(open.database)
    open.backlog.rolledBack()
    open.backlog.forget()
  }

  function inTransaction<T>(open: Connection, work: () => T): T {
    return guarded(() => {
      try {
        return work()
      } catch (thrown) {
        takeBack(open)
        throw thrown
      }
    })
  }

  function writeGathered<T>(into: Gathering, work: (connection: Connection) => T): T {
    try {
      if (into.failure !== null) throw into.failure
      const open = guarded(current)
      if (!into.isBegun) begin(open)
      into.isBegun = true
      return guarded(() => work(open))
    } catch (thrown) {
      // what the work itself threw, or could not read, wrote nothing, and says nothing about the others
      if (!(thrown instanceof StateError) || thrown.code === 'unreadable_row') throw thrown
      into.failure = thrown
      if (connection !== null) takeBack(connection)
      throw thrown
    }
  }

  function commitOf(gathered: Gathering): void {
    if (gathered.failure !== null) throw gathered.failure
    if (!gathered.isBegun || connection === null) return
    const open = connection
    gathered.isBegun = false
    try {
      inTransaction(open, () => commit(open))
    } catch (thrown) {
      gathered.failure = thrown
      throw thrown
    }
  }

  function write<T>(work: (connection: Connection) => T): T {
    if (gathering !== null) return writeGathered(gathering, work)
    const open = guarded(current)
    begin(open)
    return inTransaction(open, () => {
      const result = work(open)
      commit(open)
      return result
    })
  }

  return {
    read: (work) => guarded(() => work(current())),
    write,
    writeIf(work, isToWrite) {
      const result = guarded(() => work(current()))
      if (isToWrite(result)) write(() => {})
      return result
    },
    commitGathered() {
      if (gathering !== null) commitOf(gathering)
    },
    writeApart(work) {
      const held = gathering
      if (held === null) return write(work)
      commitOf(held)
      gathering = null
      try {
        return write(work)
      } finally {
        gathering = held
      }
    },
    gather() {
      const own: Gathering = { isBegun: false, failure: null }
      gathering = own
      return () => {
        if (gathering === own) gathering = null
        commitOf(own)
      }
    },
    checkpoint() {
      if (isCheckpointed) return
      guarded(() => checkpoint(current().database))
      isCheckpointed = true
    },
    opened: () => connection?.identity ?? null,
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
