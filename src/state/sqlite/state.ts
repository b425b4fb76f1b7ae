/**
 * The state in one SQLite file, owned by one process (the lock).
 *
 * Every call is synchronous and short. Moments write through `update`; what takes longer (`prune`, `checkpoint`, `check`) is
 * called when the server is idle or by a person.
 */
import type { ContextId, Millis } from '../../core/id.ts'
import type { LogFilter, State, Step } from '../../state.ts'
import { check } from './check.ts'
import { listContexts } from './contexts.ts'
import { openDatabase } from './database.ts'
import { forget } from './forget.ts'
import { readLog, readPage } from './log.ts'
import { bytesInUse, prune } from './prune.ts'
import { claimedBy, contextOf } from './claims.ts'
import { dayOf, missedSince, tally } from './tally.ts'
import { listThreads } from './threads.ts'
import { newTotals } from './totals.ts'
import { forgetRemembered, readContext, update } from './update.ts'

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

  return {
    update(at, step) {
      const { step: written, isWritten, judged } = database.write(({ statements }) => update(statements, at, now(), step))
      if (isWritten) {
        totals.add(written, judged)
        if (isLogged(written)) for (const listener of listeners) listener()
      }
      return written.result
    },
    context: (context: ContextId) => database.read(({ statements }) => readContext(statements, context)),
    contexts: (filter) => database.read((open) => listContexts(open.database, filter)),
    contextOf: (delivery) => database.read(({ statements }) => contextOf(statements, delivery)),
    claimed: (claims) => database.read(({ statements }) => claimedBy(statements, claims)),
    log: (filter: LogFilter) => database.read((open) => readLog(open, filter)),
    logPage: (filter) => database.read((open) => readPage(open, filter)),
    tally: (since, from) => database.read((open) => tally(open.database, since, from)),
    threads: (filter) => database.read((open) => listThreads(open.database, filter)),
    forget: (thread) =>
      database.write((open) => {
        forgetRemembered(open.statements)
        return forget(open.database, thread)
      }),
    countMissed(harness, cause, at) {
      database.write(({ statements }) => statements.countMissed.run(dayOf(at), harness, cause))
    },
    missed: (since) => database.read((open) => missedSince(open.database, since)),
    totals: () => totals.read(),
    size: () => database.read((open) => bytesInUse(open.database)),
    onLog(listener) {
      // a wrapper of its own, so that the same function can listen twice and stop once
      const own = () => listener()
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    setting: (name) => database.read(({ statements }) => textOrNull(statements.setting.get(name)?.['value'])),
    setSetting(name, value) {
      database.write(({ statements }) => (value === null ? statements.dropSetting.run(name) : statements.putSetting.run(name, value)))
    },
    prune: (keep) =>
      database.write((open) => {
        forgetRemembered(open.statements)
        return prune(open.database, keep)
      }),
    checkpoint: () => database.checkpoint(),
    check: () => database.read((open) => check(open, file)),
    close: () => database.close(),
  }
}

/** True if log rows were written or completed. */
function isLogged({ moment, claims = [], gates = [] }: Step<unknown>): boolean {
  return moment !== undefined || claims.length > 0 || gates.length > 0
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
