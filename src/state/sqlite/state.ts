/**
 * The state in one SQLite file, owned by one process (the lock).
 *
 * Every call is synchronous and short. Moments write through `update`; what takes longer (`prune`, `checkpoint`, `check`) is
 * called when the server is idle or by a person.
 */
import type { ContextId, Millis } from '../../core/id.ts'
import type { LogFilter, State } from '../../state.ts'
import { check } from './check.ts'
import { listContexts } from './contexts.ts'
import { openDatabase } from './database.ts'
import { readLog } from './log.ts'
import { prune } from './prune.ts'
import { claimedBy, contextOf } from './claims.ts'
import { readContext, update } from './update.ts'

export interface SqliteStateOptions {
  readonly file: string
  readonly lockFile: string
  readonly now: () => Millis
}

/** Takes the lock and opens the file, which is made if it is missing. Throws a `StateError` that says why it can't be used. */
export function openSqliteState({ file, lockFile, now }: SqliteStateOptions): State {
  const database = openDatabase(file, lockFile, now)
  const listeners = new Set<() => void>()

  return {
    update(at, step) {
      const { result, logged } = database.write(({ statements }) => update(statements, at, now(), step))
      if (logged) for (const listener of listeners) listener()
      return result
    },
    context: (context: ContextId) => database.read(({ statements }) => readContext(statements, context)),
    contexts: (filter) => database.read((open) => listContexts(open.database, filter)),
    contextOf: (delivery) => database.read(({ statements }) => contextOf(statements, delivery)),
    claimed: (claims) => database.read(({ statements }) => claimedBy(statements, claims)),
    log: (filter: LogFilter) => database.read((open) => readLog(open, filter)),
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
    prune: (before) => database.write((open) => prune(open.database, before)),
    checkpoint: () => database.checkpoint(),
    check: () => database.read((open) => check(open, file)),
    close: () => database.close(),
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
