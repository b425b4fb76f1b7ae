/**
 * The state in one SQLite file, owned by one process (the lock).
 *
 * Every call is synchronous and short. Moments write through `update`, which commits one row to the backlog; whoever reads the tables
 * has it put away first. What takes longer (`prune`, `checkpoint`, `check`) is called when the server is idle or by a person.
 */
import type { ContextId, Millis } from '../../core/id.ts'
import { StateError, type LogFilter, type State, type Step } from '../../state.ts'
import { check } from './check.ts'
import { Completions } from './completions.ts'
import type { Connection } from './connection.ts'
import { listContexts } from './contexts.ts'
import { openDatabase } from './database.ts'
import { forget } from './forget.ts'
import { readLog, readPage } from './log.ts'
import { bytesInUse, prune } from './prune.ts'
import { openPuttingAway } from './putting-away.ts'
import { readClaimed } from './rows.ts'
import { dayOf, missedSince, tally } from './tally.ts'
import { listThreads } from './threads.ts'
import { newTotals } from './totals.ts'
import { update } from './update.ts'

/** More steps never wait: one more has some put away first, whether anyone is idle or not. */
const MOST_WAITING = 512

export interface SqliteStateOptions {
  readonly file: string
  readonly lockFile: string
  readonly now: () => Millis
}

/** Takes the lock and opens the file, which is made if it is missing. Throws a `StateError` that says why it can't be used. */
export function openSqliteState({ file, lockFile, now }: SqliteStateOptions): State {
  const database = openDatabase(file, lockFile, now)
  const listeners = new Set<() => void>()
  const totals = newTotals()
  const completions = new Completions()
  const puttingAway = openPuttingAway(database, (step, judged) => {
    totals.add(step, judged)
    completions.add(step, judged)
  })
  /** Of the file that is open: another one at its place has others. */
  const settings = new WeakMap<Connection, Map<string, string | null>>()
  let isGathering = false
  let isToTell = false

  /** Reads tables, with all that waits put away; while that can't be, as they stand. */
  function readTables<T>(work: (connection: Connection) => T): T {
    try {
      while (puttingAway.slice());
    } catch (thrown) {
      if (!(thrown instanceof StateError && (thrown.code === 'locked' || thrown.code === 'full'))) throw thrown
    }
    return database.read(work)
  }

  function keepSmall(): void {
    if (database.read(({ backlog }) => backlog.size) <= MOST_WAITING) return
    try {
      puttingAway.slice()
    } catch (thrown) {
      // what was just written is committed; whoever puts away the rest is told
      if (!(thrown instanceof StateError)) throw thrown
    }
  }

  function tell(): void {
    isToTell = false
    for (const listener of listeners) listener()
  }

  return {
    update(at, step) {
      // a repeated delivery is asked for within the transaction, which costs one lock of the file instead of two
      const run = (open: Connection) => update(open.backlog, at, now(), step)
      const updated = at.delivery === undefined ? database.writeIf(run, ({ isWritten }) => isWritten) : database.write(run)
      if (updated.isWritten && isLogged(updated.step)) {
        isToTell = true
        if (!isGathering) tell()
      }
      if (updated.isWritten) keepSmall()
      return updated.step.result
    },
    gather() {
      const commit = database.gather()
      isGathering = true
      return () => {
        isGathering = false
        commit()
        if (isToTell) tell()
      }
    },
    putAway: () => puttingAway.slice(),
    context: (context: ContextId) => database.read(({ backlog }) => backlog.context(context)),
    contexts: (filter) => readTables((open) => listContexts(open.database, filter)),
    contextOf: (delivery) => database.read(({ backlog }) => backlog.origin(delivery)),
    claimed: (claims) => readTables(({ statements }) => readClaimed(statements, claims)),
    log: (filter: LogFilter) => readTables((open) => readLog(open, filter)),
    logPage: (filter) => readTables((open) => readPage(open, filter)),
    completed: (from) => readTables((open) => completions.since(open, from)),
    tally: (since, from) => readTables((open) => tally(open.database, since, from)),
    threads: (filter) => readTables((open) => listThreads(open.database, filter)),
    forget: (thread) => {
      while (puttingAway.slice());
      return database.writeApart((open) => {
        open.backlog.forget()
        return forget(open.database, thread)
      })
    },
    countMissed(harness, cause, at, times = 1) {
      database.write(({ statements }) => statements.countMissed.run(dayOf(at), harness, cause, times))
    },
    missed: (since) => database.read((open) => missedSince(open.database, since)),
    totals: () => readTables(() => totals.read()),
    size: () => database.read((open) => bytesInUse(open.database)),
    onLog(listener) {
      // a wrapper of its own, so that the same function can listen twice and stop once
      const own = () => listener()
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    setting: (name) =>
      database.read((open) => {
        const known = settings.get(open) ?? new Map<string, string | null>()
        settings.set(open, known)
        const found = known.get(name)
        if (found !== undefined) return found
        const value = textOrNull(open.statements.setting.get(name)?.['value'])
        known.set(name, value)
        return value
      }),
    setSetting(name, value) {
      database.writeApart((open) => {
        settings.get(open)?.delete(name)
        return value === null ? open.statements.dropSetting.run(name) : open.statements.putSetting.run(name, value)
      })
    },
    prune: (keep) => {
      while (puttingAway.slice());
      return database.writeApart((open) => {
        open.backlog.forget()
        return prune(open.database, keep)
      })
    },
    checkpoint: () => database.checkpoint(),
    identity: () => database.opened(),
    check: () => readTables((open) => check(open, file)),
    close() {
      try {
        while (puttingAway.slice());
      } catch {
        // what waits is found at the next start
      }
      database.close()
    },
  }
}

/** True if log rows were written or completed. */
function isLogged({ moment, claims = [], gates = [] }: Step<unknown>): boolean {
  return moment !== undefined || claims.length > 0 || gates.length > 0
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
