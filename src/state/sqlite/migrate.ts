/** Brings a database to the form that this version knows. The number of its last migration stands in `user_version`. */
import type { DatabaseSync } from 'node:sqlite'
import { stateError } from './failure.ts'
import type { Migration } from './migrations/migration.ts'
import { contextsAndLog } from './migrations/001_contexts_and_log.ts'
import { reportsAndForgetting } from './migrations/002_reports_and_forgetting.ts'
import { formsOfClaims } from './migrations/003_forms_of_claims.ts'
import { backlog } from './migrations/004_backlog.ts'

/** In order of their numbers. */
export const MIGRATIONS: readonly Migration[] = [contextsAndLog, reportsAndForgetting, formsOfClaims, backlog]

export const KNOWN_FORM = MIGRATIONS.at(-1)?.number ?? 0

/** Throws `newer` if a later version wrote the database. Reads only, so that such a file stays as it is. */
export function refuseNewer(database: DatabaseSync, file: string): void {
  const found = formOf(database)
  if (found <= KNOWN_FORM) return
  throw stateError('newer', file, `a newer ContextMD wrote it (form ${found}, this version knows ${KNOWN_FORM})`)
}

/** Runs what is missing, each migration in a transaction of its own. */
export function migrate(database: DatabaseSync, migrations: readonly Migration[] = MIGRATIONS): void {
  for (const migration of migrations) {
    if (migration.number <= formOf(database)) continue
    database.exec('BEGIN IMMEDIATE')
    for (const column of migration.columns ?? []) addColumn(database, column)
    database.exec(`${migration.sql}; PRAGMA user_version = ${migration.number}; COMMIT`)
  }
}

function addColumn(database: DatabaseSync, { table, name, definition }: NonNullable<Migration['columns']>[number]): void {
  const present = database.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, name)
  if (present === undefined) database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${definition}`)
}

/** Number of the last migration that the database has seen. */
export function formOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
}
