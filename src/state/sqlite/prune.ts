/** Deleting what is old or too much, a slice at a time, so that no moment waits long behind it. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'
import type { Retention } from '../../state.ts'
import { prepared } from './prepared.ts'

/** Rows that one call touches: 3 to 6 ms, indexes included, the more the larger the file (bench/state.ts, soak/prune.ts). */
const SLICE_ROWS = 40

/**
 * Empties answers, then deletes contexts, threads and log rows of before the given times, then the oldest log rows over the given
 * size. Gives true if there is more to do.
 *
 * A moment stays while one of its claims is open, so that each open claim has its row, and the newest one stays always.
 */
export function prune(database: DatabaseSync, keep: Retention): boolean {
  const slice = new Slice(database)
  slice.run(EMPTY_ANSWERS, keep.answers)
  slice.run(DELETE_CONTEXTS, keep.log)
  slice.run(DELETE_THREADS, keep.log)
  slice.run(DELETE_OBEDIENCE, keep.log)
  slice.run(DELETE_LOOSE_GATES, keep.log)
  slice.moments(MOMENTS_BEFORE, keep.log)
  if (keep.rows !== undefined) slice.moments(MOMENTS_BELOW, newestMoment(database) - keep.rows + 1)
  // a page is freed when its last row goes: one slice more each time, until it is enough or nothing is left to delete
  const isOver = (): boolean => keep.bytes !== undefined && bytesInUse(database) > keep.bytes
  const mayShrink = isOver() && slice.moments(MOMENTS_BELOW, Number.MAX_SAFE_INTEGER) > 0
  return slice.left <= 0 || (mayShrink && isOver())
}

/** Bytes of the file that hold something; the rest is free for new rows. Reads two numbers of the file's head. */
export function bytesInUse(database: DatabaseSync): number {
  const pragma = (name: string): number => Number(prepared(database, `PRAGMA ${name}`).get()?.[name] ?? 0)
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
}

function newestMoment(database: DatabaseSync): number {
  return Number(prepared(database, 'SELECT max(number) AS number FROM moments').get()?.['number'] ?? 0)
}

class Slice {
  left = SLICE_ROWS
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Changes at most what is left of the slice. */
  run(sql: string, which: SQLInputValue): void {
    if (this.left > 0) this.left -= Number(prepared(this.#database, sql).run(which, this.left).changes)
  }

  /** A moment goes last, after its candidates and gates. Gives how many moments went. */
  moments(select: string, which: SQLInputValue): number {
    if (this.left <= 0) return 0
    let gone = 0
    for (const row of prepared(this.#database, select).all(which, this.left)) {
      if (!this.#moment(row['number'] ?? null)) break
      gone++
    }
    return gone
  }

  /** False if the slice was too small for all of it. */
  #moment(number: SQLOutputValue): boolean {
    this.run(DELETE_CANDIDATES, number)
    this.run(DELETE_GATES, number)
    const before = this.left
    this.run(DELETE_MOMENT, number)
    return this.left < before
  }
}

const EMPTY_ANSWERS = `
  UPDATE moments SET answer = NULL WHERE number IN (SELECT number FROM moments WHERE answer IS NOT NULL AND at < ? LIMIT ?)`
const DELETE_CONTEXTS = 'DELETE FROM contexts WHERE id IN (SELECT id FROM contexts WHERE seen_at < ? LIMIT ?)'
const DELETE_THREADS = `
  DELETE FROM threads WHERE session IN (
    SELECT session FROM threads WHERE seen_at < ? AND NOT EXISTS (SELECT 1 FROM contexts WHERE contexts.session = threads.session) LIMIT ?)`
const DELETE_OBEDIENCE = 'DELETE FROM obedience WHERE number IN (SELECT number FROM obedience WHERE at < ? LIMIT ?)'
const DELETE_LOOSE_GATES = 'DELETE FROM gates WHERE number IN (SELECT number FROM gates WHERE moment IS NULL AND at < ? LIMIT ?)'

const MAY_GO = `
  number < (SELECT max(number) FROM moments)
  AND NOT EXISTS (
    SELECT 1 FROM contexts WHERE contexts.id = moments.context AND open_claims > 0 AND EXISTS (
      SELECT 1 FROM candidates WHERE candidates.moment = moments.number AND claim IS NOT NULL AND verdict IS NULL))`
// the index is named, since the planner takes the bound on the number for the narrower one and reads the whole table
const MOMENTS_BEFORE = `SELECT number FROM moments INDEXED BY moments_by_time WHERE at < ? AND ${MAY_GO} LIMIT ?`
const MOMENTS_BELOW = `SELECT number FROM moments WHERE number < ? AND ${MAY_GO} ORDER BY number LIMIT ?`
const DELETE_CANDIDATES = `
  DELETE FROM candidates WHERE (moment, position) IN (SELECT moment, position FROM candidates WHERE moment = ? LIMIT ?)`
const DELETE_GATES = 'DELETE FROM gates WHERE number IN (SELECT number FROM gates WHERE moment = ? LIMIT ?)'
const DELETE_MOMENT = 'DELETE FROM moments WHERE number IN (SELECT number FROM moments WHERE number = ? LIMIT ?)'
