/** Reading the log: moments that a filter names, each with its candidates and gates. */
import type { SQLOutputValue, StatementSync } from 'node:sqlite'
import type { GateRow, LogFilter, LoggedCandidate, LoggedMoment } from '../../state.ts'
import type { Connection } from './connection.ts'
import type { Statements } from './statements.ts'

/** Rows of one answer unless the filter says otherwise: what a screen or a page of a report can use. */
const DEFAULT_ROWS = 1_000

type Row = Record<string, SQLOutputValue>
type Value = string | number
type Condition = readonly [sql: string, ...values: Value[]]

export function readLog({ database, statements }: Connection, filter: LogFilter): readonly LoggedMoment[] {
  const conditions = conditionsOf(filter)
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`
  const order = filter.newest === true ? 'DESC' : 'ASC'
  const select: StatementSync = database.prepare(`SELECT * FROM moments ${where} ORDER BY number ${order} LIMIT ?`)
  const rows = select.all(...conditions.flatMap(([, ...values]) => values), filter.limit ?? DEFAULT_ROWS)
  return rows.map((row) => momentOf(row, statements))
}

function conditionsOf(filter: LogFilter): readonly Condition[] {
  const found: Condition[] = []
  if (filter.thread !== undefined) found.push(['thread = ?', filter.thread])
  if (filter.harness !== undefined) found.push(['harness = ?', filter.harness])
  if (filter.since !== undefined) found.push(['at >= ?', filter.since])
  if (filter.after !== undefined) found.push(['number > ?', filter.after])
  if (filter.entry !== undefined) found.push(['number IN (SELECT moment FROM candidates WHERE entry = ?)', filter.entry])
  if (filter.outcome !== undefined) found.push([WITH_OUTCOME, filter.outcome, filter.outcome, filter.outcome])
  return found
}

const WITH_OUTCOME = `(outcome = ? OR number IN (
  SELECT moment FROM candidates WHERE outcome = ? UNION ALL SELECT moment FROM candidates WHERE verdict = ?))`

/** Columns hold what `update` wrote, by the types of `MomentRow`; the STRICT tables keep their kinds. */
function momentOf(row: Row, statements: Statements): LoggedMoment {
  const { answer: _, ms_total, ms_match, ms_evidence, ...columns } = row
  return {
    ...columns,
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
