/**
 * One state file, kept open: transactions, failures turned into the state's own error, and what happens when the file is
 * locked, deleted or replaced under us, or its lock or its log is.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Millis } from '../../core/id.ts'
import { StateError } from '../../state.ts'
import { openConnection, type Connection, type Loss } from './connection.ts'
import { asStateError, stateError } from './failure.ts'

/** After another program kept the file locked it is not asked for this long: each try holds up the event loop (T14). */
const LOCK_REST_MS = 1_000
/** How often it is looked whether the files at their paths are still ours; a look at each moment would tell nothing more. */
const LOOK_EVERY_MS = 1_000

/** What is told once the state is open again. `owner`: another process opened the very file, and has ended since. */
const LOSSES: Readonly<Record<Loss | 'owner', string>> = {
  file: 'it was deleted or replaced while in use; it was opened anew, and running sessions begin anew',
  lock: 'its lock was deleted or replaced while in use; it was locked and opened anew',
  log: 'its write-ahead file was deleted or replaced while in use; what it held was saved, and it was opened anew',
  owner: 'another ContextMD opened it while it was in use, and has ended; it was opened anew',
}
const TAKEN = 'its lock, or the file itself, was deleted or replaced while in use, and another ContextMD owns it now'

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
  /**
   * Looks at once whether the files are still ours, before something that would harm those of another. Throws if they are not, as any
   * call does within a second.
   */
  look(): void
  /**
   * Tells the file that is open, with its log, from others at their paths; null while none is. It is not looked at: that is for whoever can
   * tell that it is gone.
   */
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
  /** What happened to the one that was there; null: nothing that was not told. */
  let loss: keyof typeof LOSSES | null = null
  let lookedAt = now()
  let lockedAt: Millis | null = null
  let isCheckpointed = false
  let gathering: Gathering | null = null

  function current(): Connection {
    if (!isWithin(lookedAt, LOOK_EVERY_MS, now())) look()
    if (connection === null) throw failure
    return connection
  }

  function look(): void {
    lookedAt = now()
    loss ??= connection?.loss() ?? null
    if (connection === null || loss !== null) openAnew()
  }

  /** Throws, so that the loss is told once; the next call works if the file could be opened. */
  function openAnew(): never {
    if (isClosed()) throw failure
    try {
      const lost = connection
      connection = null
      if (lost !== null && loss === 'log') save(lost.database)
      lost?.close()
      // the very file was in use a moment ago: looking through it again would hold up the event loop
      connection = openConnection(file, lockFile, loss !== null && loss !== 'file')
      failure = stateError(loss === 'file' ? 'replaced' : 'failed', file, LOSSES[loss ?? 'file'])
      loss = null
    } catch (thrown) {
      failure = isTaken(thrown) && loss !== null ? stateError('taken', file, TAKEN, { cause: thrown }) : asStateError(thrown, file)
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

  function begin(open: Connection): void {
    try {
      if (lockedAt !== null && isWithin(lockedAt, LOCK_REST_MS, now())) throw stateError('locked', file, 'another program holds it')
      lockedAt = null
      guarded(() => open.statements.begin.run())
      if (guarded(() => open.isOurs())) return
    } catch (thrown) {
      if (thrown instanceof StateError && thrown.code === 'locked') lockedAt ??= now()
      leave(open)
      throw thrown
    }
    leave(open)
    lookedAt = now()
    loss ??= open.loss() ?? 'owner'
    openAnew()
  }

  function commit(open: Connection): void {
    open.backlog.write()
    open.statements.commit.run()
    open.backlog.committed()
    isCheckpointed = false
  }

  function leave({ database, backlog }: Connection): void {
    // on a full disk SQLite has rolled back by itself
    if (database.isTransaction) rollBack(database)
    backlog.rolledBack()
  }

  function takeBack(open: Connection): void {
    leave(open)
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
    look() {
      // without a connection nothing can be harmed, and it is tried again in its time
      if (connection !== null) guarded(look)
    },
    checkpoint() {
      if (isCheckpointed) return
      guarded(() => {
        if (connection !== null) look()
        checkpoint(current().database)
      })
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

function isTaken(thrown: unknown): boolean {
  return thrown instanceof StateError && thrown.code === 'taken'
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

/** Moves what is in a log that has no name any more into the file, while its connection holds it. What fails is told by the opening. */
function save(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {
    // the disk is full or broken: then the log is lost
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite has rolled back by itself, or will when the file is opened again; the first failure is the one to tell
  }
}
