/** The prepared statements that a moment runs, made once for each opened database. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

const SQL = {
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',

  contextState: 'SELECT state FROM contexts WHERE id = ?',
  threadState: 'SELECT state FROM threads WHERE session = ?',
  answerOf: 'SELECT answer FROM moments WHERE delivery = ?',
  contextOf: 'SELECT context, session FROM moments WHERE delivery = ?',
  lastMomentOf: 'SELECT last_moment FROM contexts WHERE id = ?',
  claimed: 'SELECT entry, entry_hash FROM candidates WHERE claim = ?',
  setting: 'SELECT value FROM settings WHERE name = ?',

  putContext: `
    INSERT INTO contexts (id, session, state, open_claims, last_moment, seen_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, open_claims = excluded.open_claims,
      last_moment = coalesce(excluded.last_moment, last_moment), seen_at = excluded.seen_at`,
  putThread: `
    INSERT INTO threads (session, state, seen_at) VALUES (?, ?, ?)
    ON CONFLICT (session) DO UPDATE SET state = excluded.state, seen_at = excluded.seen_at`,
  addMoment: `
    INSERT INTO moments (delivery, context, harness, version, session, thread, run, joining, kind, event, tool, seq, epoch, wave,
      outcome, why, bytes, at, ms_total, ms_match, ms_evidence, answer)
    VALUES (:delivery, :context, :harness, :version, :session, :thread, :run, :joining, :kind, :event, :tool, :seq, :epoch, :wave,
      :outcome, :why, :bytes, :at, :ms_total, :ms_match, :ms_evidence, :answer)
    ON CONFLICT (delivery) DO NOTHING`,
  addCandidate: `
    INSERT INTO candidates (moment, position, entry, entry_hash, outcome, claim, lane, bytes, item)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  addGate: 'INSERT INTO gates (moment, context, entry, lift, at) VALUES (?, ?, ?, ?, ?)',
  // each claim is judged once (law 10)
  judgeClaim: 'UPDATE candidates SET verdict = ?, why = ?, verdict_at = ? WHERE claim = ? AND verdict IS NULL',
  putSetting: 'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  dropSetting: 'DELETE FROM settings WHERE name = ?',

  candidatesOf: 'SELECT * FROM candidates WHERE moment = ? ORDER BY position',
  gatesOf: 'SELECT context, entry, lift, at FROM gates WHERE moment = ? ORDER BY number',
} as const

export type Statements = Readonly<Record<keyof typeof SQL, StatementSync>>

export function prepareStatements(database: DatabaseSync): Statements {
  const prepared = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])
  return Object.fromEntries(prepared) as Statements // one statement for each name of SQL
}
