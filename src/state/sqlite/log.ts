/** Reading the log: moments that a filter names, each with its candidates and gates. */
import type { SQLOutputValue } from 'node:sqlite'
import type { GateRow, LogFilter, LoggedCandidate, LoggedMoment, LogPage } from '../../state.ts'
import type { Connection } from './connection.ts'
import { MOST_LEAPS, boundsOf, openSeek } from './log-seek.ts'
import type { Statements } from './statements.ts'

/** Rows of one answer unless the filter says otherwise: what a screen or a page of a report can use. */
const DEFAULT_ROWS = 1_000
/** Rows of one page: each takes some 30 µs with its candidates and gates, so that a page takes a few milliseconds. */
const PAGE_ROWS = 100

type Row = Record<string, SQLOutputValue>
export type PageFilter = LogFilter & { readonly before?: number }

export function readLog(open: Connection, filter: LogFilter): readonly LoggedMoment[] {
  const rows: LoggedMoment[] = []
  const limit = filter.limit ?? DEFAULT_ROWS
  let rest: PageFilter = filter
  while (rows.length < limit) {
    const page = readPage(open, { ...rest, limit: limit - rows.length })
    rows.push(...page.rows)
    if (page.next === null) break
    rest = goOn(filter, page.next)
  }
  return rows
}

/** The filter for the page that follows. */
export function goOn(filter: PageFilter, next: number): PageFilter {
  return filter.newest === true ? { ...filter, before: next } : { ...filter, after: next }
}

/** `leaps`: tests give fewer, so that a short log grows tiring. */
export function readPage({ database, statements }: Connection, filter: PageFilter, leaps = MOST_LEAPS): LogPage {
  const limit = Math.min(filter.limit ?? DEFAULT_ROWS, PAGE_ROWS)
  const bounds = boundsOf(database, filter)
  const seek = openSeek(database, filter, leaps)
  const step = filter.newest === true ? -1 : 1
  const rows: LoggedMoment[] = []
  let at = filter.newest === true ? bounds.high : bounds.low
  while (rows.length < limit) {
    const found = seek(at)
    if (found.state === 'tired') return { rows, next: found.at - step }
    if (found.state === 'end' || found.number < bounds.low || found.number > bounds.high) return { rows, next: null }
    const row = statements.momentAt.get(found.number)
    if (row !== undefined && (filter.since === undefined || Number(row['at']) >= filter.since)) {
      const moment = momentOf(row, statements)
      if (isWanted(moment, filter)) rows.push(moment)
    }
    at = found.number + step
  }
  return { rows, next: at - step }
}

/** With an entry and an outcome it is the entry's own outcome that is asked for, or the moment's. */
function isWanted(moment: LoggedMoment, { entry, outcome }: LogFilter): boolean {
  if (entry === undefined || outcome === undefined || moment.outcome === outcome) return true
  return moment.candidates.some((row) => row.entry === entry && (row.outcome === outcome || row.atMoment === outcome))
}

/** Columns hold what `update` wrote, by the types of `MomentRow`; the STRICT tables keep their kinds. */
function momentOf(row: Row, statements: Statements): LoggedMoment {
  const { ms_total, ms_match, ms_evidence, holdout, ...columns } = row
  return {
    ...columns,
    holdout: holdout === 1,
    ms: { total: ms_total, match: ms_match, evidence: ms_evidence },
    candidates: statements.candidatesOf.all(Number(row['number'])).map(candidateOf),
    gates: statements.gatesOf.all(Number(row['number'])).map(gateOf),
  } as unknown as LoggedMoment // see above
}

function candidateOf(row: Row): LoggedCandidate {
  return {
    entry: row['entry'],
    entryHash: row['entry_hash'],
    outcome: row['verdict'] ?? row['outcome'],
    atMoment: row['outcome'],
    claim: row['claim'],
    lane: row['lane'],
    bytes: row['bytes'],
    item: row['item'],
    verdictAt: row['verdict_at'],
    why: row['why'],
  } as unknown as LoggedCandidate // written by the types of `CandidateRow` and `ClaimRow`
}

function gateOf(row: Row): GateRow {
  return { context: row['context'], entry: row['entry'], lift: row['lift'], at: row['at'] } as unknown as GateRow // likewise
}
