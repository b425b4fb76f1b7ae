/**
 * The host's database as synchronous rows, through the host's own client: joins are decided in the middle of a transaction of ours.
 *
 * The client is synchronous as long as nobody holds its one connection. While another part of the host is in a transaction, a statement
 * would have to wait; then a read-only handle of our own on the same file answers, which sees what was committed and holds up nobody.
 */
import { DatabaseSync } from 'node:sqlite'
import { Effect, Exit, type Context } from 'effect'
import { positional } from '../../host/t3code/parameters.ts'
import type { HostRow, HostRows } from '../../host/t3code/rows.ts'
import type { HostSql } from './effect-http.ts'

/** Readers of a WAL file wait for nobody, save for a moment while it is taken over or repaired. */
const BUSY_MS = 5

export interface ClosableRows extends HostRows {
  close(): void
}

export function hostRows(sql: HostSql, context: Context.Context<never>): ClosableRows {
  let file: string | null = null
  let own: DatabaseSync | null = null

  /** Undefined: the client can't answer at once. Throws what the database throws. */
  function ask(text: string, params: readonly unknown[]): readonly HostRow[] | undefined {
    const statement = Effect.suspend(() => sql.unsafe(text, params).withoutTransform)
    const fiber = Effect.runFork(statement.pipe(Effect.withTracerEnabled(false), (asked) => Effect.provideContext(asked, context)))
    const exit = fiber.pollUnsafe()
    if (exit === undefined) {
      fiber.interruptUnsafe()
      return undefined
    }
    // rows of SQLite are plain objects
    if (Exit.isSuccess(exit)) return exit.value as readonly HostRow[]
    throw new Error('the host could not answer a query', { cause: exit.cause })
  }

  function fileOf(): string {
    const main = ask('PRAGMA database_list', [])?.find(({ name }) => name === 'main')
    return typeof main?.['file'] === 'string' ? main['file'] : ''
  }

  return {
    all(numbered, given = []) {
      const { sql: text, params } = positional(numbered, given)
      const rows = ask(text, params)
      if (rows !== undefined) {
        file ??= fileOf()
        return rows
      }
      if (file === null || file === '') throw new Error("the host's database is busy")
      own ??= new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS })
      return own.prepare(text).all(...params)
    },
    close() {
      own?.close()
      own = null
    },
  }
}
