/** Deleting what is old, a slice at a time, so that no moment waits long behind it. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Millis } from '../../core/id.ts'

/** Rows that one call touches: below 10 ms, indexes included (bench/state.ts). */
const SLICE_ROWS = 500

/**
 * Empties answers, then deletes contexts, threads and log rows of before the given times. Gives true if there is more to do.
 *
 * A moment stays while its context has open claims, so that each open claim has its row, and the newest one stays always, so
 * that no number is given twice.
 */
export function prune(database: DatabaseSync, before: { readonly answers: Millis; readonly log: Millis }): boolean {
  let left = SLICE_ROWS
  left -= run(database.prepare(EMPTY_ANSWERS), before.answers, left)
  left -= run(database.prepare(DELETE_CONTEXTS), before.log, left)
  left -= run(database.prepare(DELETE_THREADS), before.log, left)
  return deleteMoments(database, before.log, left) <= 0
}

/** Gives how many rows are left of the slice. A moment goes last, after its candidates and gates. */
function deleteMoments(database: DatabaseSync, before: Millis, rows: number): number {
  if (rows <= 0) return 0
  const candidates = database.prepare(DELETE_CANDIDATES)
  const gates = database.prepare(DELETE_GATES)
  const moment = database.prepare('DELETE FROM moments WHERE number = ?')
  let left = rows
  for (const row of database.prepare(OLD_MOMENTS).all(before, rows)) {
    const number = Number(row['number'])
    left -= run(candidates, number, left)
    left -= run(gates, number, left)
    if (left <= 0) break
    moment.run(number)
    left--
  }
  return left
}

const EMPTY_ANSWERS = `
  UPDATE moments SET answer = NULL WHERE number IN (SELECT number FROM moments WHERE answer IS NOT NULL AND at < ? LIMIT ?)`
const DELETE_CONTEXTS = 'DELETE FROM contexts WHERE id IN (SELECT id FROM contexts WHERE seen_at < ? LIMIT ?)'
const DELETE_THREADS = `
  DELETE FROM threads WHERE session IN (
    SELECT session FROM threads WHERE seen_at < ? AND NOT EXISTS (SELECT 1 FROM contexts WHERE contexts.session = threads.session) LIMIT ?)`
const OLD_MOMENTS = `
  SELECT number FROM moments
  WHERE at < ? AND number < (SELECT max(number) FROM moments)
    AND NOT EXISTS (SELECT 1 FROM contexts WHERE contexts.id = moments.context AND open_claims > 0)
  LIMIT ?`
const DELETE_CANDIDATES = `
  DELETE FROM candidates WHERE moment = ?1 AND position IN (SELECT position FROM candidates WHERE moment = ?1 LIMIT ?2)`
const DELETE_GATES = 'DELETE FROM gates WHERE number IN (SELECT number FROM gates WHERE moment = ? LIMIT ?)'

/** Gives how many rows were changed. */
function run(statement: StatementSync, which: number, limit: number): number {
  return limit <= 0 ? 0 : Number(statement.run(which, limit).changes)
}
