/** Sums over one slice of the log, for reports: short enough that a moment that comes meanwhile waits a few milliseconds. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Millis } from '../../core/id.ts'
import type { MissedTally, Tally, TallyCursor } from '../../state.ts'
import { firstSince } from './log-seek.ts'

/** Moments of one slice. With their candidates some 5 ms on a busy machine. */
const SLICE_MOMENTS = 750
/** Rows of obedience of one slice: likewise. */
const SLICE_OBEDIENCE = 2_000

/** `from` null: the first slice. */
export function tally(database: DatabaseSync, since: Millis, from: TallyCursor | null): ReturnType<typeof sliceOf> {
  return sliceOf(database, since, from ?? { moment: firstSince(database, since), obedience: firstObedience(database, since) })
}

function sliceOf(database: DatabaseSync, since: Millis, from: TallyCursor): { readonly tally: Tally; readonly next: TallyCursor | null } {
  const to: TallyCursor = { moment: from.moment + SLICE_MOMENTS, obedience: from.obedience + SLICE_OBEDIENCE }
  const all = (sql: string, ...values: SQLInputValue[]) => database.prepare(sql).all(...values)
  const moments = [from.moment, to.moment, since]
  const sums = {
    moments: all(MOMENTS, ...moments),
    candidates: all(CANDIDATES, ...moments),
    gates: all(GATES, ...moments),
    obedience: all(OBEDIENCE, from.obedience, to.obedience, since).map((row) => ({ ...row, withheld: row['withheld'] === 1 })),
  } as unknown as Tally // columns are named after the types, and hold what update wrote
  const isLast = to.moment > newest(database, 'moments') && to.obedience > newest(database, 'obedience')
  return { tally: sums, next: isLast ? null : to }
}

function newest(database: DatabaseSync, table: 'moments' | 'obedience'): number {
  return Number(database.prepare(`SELECT max(number) AS number FROM ${table}`).get()?.['number'] ?? 0)
}

/** Above every number if there is none. */
function firstObedience(database: DatabaseSync, since: Millis): number {
  const row = database.prepare('SELECT number FROM obedience WHERE at >= ? ORDER BY at LIMIT 1').get(since)
  return Number(row?.['number'] ?? Number.MAX_SAFE_INTEGER)
}

const MOMENTS = `
  SELECT harness, outcome, count(*) AS count, sum(bytes) AS bytes FROM moments
  WHERE number >= ? AND number < ? AND at >= ? GROUP BY harness, outcome`
const CANDIDATES = `
  SELECT entry, run, candidates.outcome AS outcome, verdict, count(*) AS count, sum(candidates.bytes) AS bytes
  FROM moments CROSS JOIN candidates ON candidates.moment = moments.number
  WHERE number >= ? AND number < ? AND moments.at >= ? GROUP BY entry, run, candidates.outcome, verdict`
const GATES = `
  SELECT entry, lift, count(*) AS count FROM gates WHERE moment >= ? AND moment < ? AND at >= ? GROUP BY entry, lift`
const OBEDIENCE = `
  SELECT entry, verdict, claim IS NULL AS withheld, count(*) AS count FROM obedience
  WHERE number >= ? AND number < ? AND at >= ? GROUP BY entry, verdict, withheld`

export function missedSince(database: DatabaseSync, since: Millis): readonly MissedTally[] {
  const rows = database
    .prepare('SELECT harness, cause, sum(count) AS count FROM missed WHERE day >= ? GROUP BY harness, cause')
    .all(dayOf(since))
  return rows as unknown as readonly MissedTally[] // written by countMissed as these types
}

/** The day of a time as it is counted, in UTC: `2026-05-01`. A time outside the calendar is the first of all days. */
export function dayOf(at: Millis): string {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString().slice(0, 10) : ''
}
