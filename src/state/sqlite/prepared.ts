/** Statements that are run again and again, made once for each opened database: making them anew costs more than running them. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

const KEPT = new WeakMap<DatabaseSync, Map<string, StatementSync>>()

/** `sql` is one of our own fixed texts: each is kept as long as the database is open. */
export function prepared(database: DatabaseSync, sql: string): StatementSync {
  let ofDatabase = KEPT.get(database)
  if (ofDatabase === undefined) KEPT.set(database, (ofDatabase = new Map()))
  let statement = ofDatabase.get(sql)
  if (statement === undefined) ofDatabase.set(sql, (statement = database.prepare(sql)))
  return statement
}
