/**
 * Finding the next moment that a filter names, in a log of any size.
 *
 * Each condition of the filter has an index in which the numbers of its moments stand in order. They leap over each other: the one
 * that finds the farthest number says where the others look next, until all stand on the same. So the rarest condition sets the
 * cost. A condition that looked common and never meets another one could still leap for seconds, so a seek grows tired.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { LogFilter } from '../../state.ts'
import type { PageFilter } from './log.ts'

/** Looks into an index, some 4 µs each, until a page gives up and says where to go on. */
export const MOST_LEAPS = 1_000
/** The clock may have been set back by a little: so many of the first rows since a time are asked which one is the lowest. */
const FIRST_ROWS = 1_000

export interface Bounds {
  /** Both included. */
  readonly low: number
  readonly high: number
}

export function boundsOf(database: DatabaseSync, filter: PageFilter): Bounds {
  const low = (filter.after ?? 0) + 1
  const high = (filter.before ?? Number.MAX_SAFE_INTEGER) - 1
  return { low: filter.since === undefined ? low : Math.max(low, firstSince(database, filter.since)), high }
}

/** The number of the first moment since then; above every number if there is none. */
export function firstSince(database: DatabaseSync, since: number): number {
  const row = database
    .prepare('SELECT min(number) AS first FROM (SELECT number FROM moments WHERE at >= ? ORDER BY at LIMIT ?)')
    .get(since, FIRST_ROWS)
  return Number(row?.['first'] ?? Number.MAX_SAFE_INTEGER)
}

export type Found =
  | { readonly state: 'found'; readonly number: number }
  | { readonly state: 'end' }
  /** Everything before `at`, in the direction of the seek, was looked through. */
  | { readonly state: 'tired'; readonly at: number }

/** Gives the number of the next moment from `at` on, `at` included. All seeks of one opening share their strength: `most` leaps. */
export function openSeek(database: DatabaseSync, filter: PageFilter, most: number): (at: number) => Found {
  const isDown = filter.newest === true
  const leaps = conditionsOf(filter).map((condition) => openLeap(database, condition, isDown))
  let left = most
  return (from) => {
    let at = from
    for (let agreed = 0; agreed < leaps.length;) {
      for (const leap of leaps) {
        if (left-- <= 0) return { state: 'tired', at }
        const number = leap(at)
        if (number === null) return { state: 'end' }
        agreed = number === at ? agreed + 1 : 1
        at = number
        if (agreed >= leaps.length) break
      }
    }
    return { state: 'found', number: at }
  }
}

/** A place where numbers of moments stand in order: `number` is the name of their column. */
interface Source {
  readonly table: string
  readonly number: 'number' | 'moment'
  readonly where: string
}
interface Condition {
  readonly sources: readonly Source[]
  readonly value: string | null
}

/** The indexes are named, since the planner might take the order of the table for the cheaper one. */
const ALL: Condition = { sources: [{ table: 'moments', number: 'number', where: 'TRUE' }], value: null }
const THREAD: Source = { table: 'moments INDEXED BY moments_by_thread', number: 'number', where: 'thread = ?' }
const HARNESS: Source = { table: 'moments INDEXED BY moments_by_harness', number: 'number', where: 'harness = ?' }
const ENTRY: Source = { table: 'candidates INDEXED BY candidates_by_entry', number: 'moment', where: 'entry = ?' }
/** Of most moments: no index is needed to find the next one. */
const NOTHING: Source = { table: 'moments NOT INDEXED', number: 'number', where: 'outcome = ?' }
const OUTCOMES: readonly Source[] = [
  { table: 'moments INDEXED BY moments_by_rarer_outcome', number: 'number', where: "outcome = ? AND outcome <> 'nothing'" },
  { table: 'candidates INDEXED BY candidates_by_outcome', number: 'moment', where: 'outcome = ?' },
  { table: 'candidates INDEXED BY candidates_by_verdict', number: 'moment', where: 'verdict = ?' },
]

function conditionsOf(filter: LogFilter): readonly Condition[] {
  const found: Condition[] = []
  if (filter.thread !== undefined) found.push({ sources: [THREAD], value: filter.thread })
  if (filter.harness !== undefined) found.push({ sources: [HARNESS], value: filter.harness })
  if (filter.entry !== undefined) found.push({ sources: [ENTRY], value: filter.entry })
  if (filter.outcome !== undefined) found.push({ sources: filter.outcome === 'nothing' ? [NOTHING] : OUTCOMES, value: filter.outcome })
  return found.length === 0 ? [ALL] : found
}

/** Gives the nearest number from `at` on for which any of the sources holds. */
function openLeap(database: DatabaseSync, { sources, value }: Condition, isDown: boolean): (at: number) => number | null {
  const [compare, order] = isDown ? ['<=', 'DESC'] : ['>=', 'ASC']
  const statements = sources.map(({ table, number, where }) =>
    database.prepare(
      `SELECT ${number} AS number FROM ${table} WHERE ${where} AND ${number} ${compare} ? ORDER BY ${number} ${order} LIMIT 1`,
    ),
  )
  const values = value === null ? [] : [value]
  return (at) => {
    const numbers = statements.flatMap((statement) => {
      const row = statement.get(...values, at)
      return row === undefined ? [] : [Number(row['number'])]
    })
    if (numbers.length === 0) return null
    return isDown ? Math.max(...numbers) : Math.min(...numbers)
  }
}
