/** The prepared statements that a moment runs, made once for each opened database. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Name of the setting that holds the highest number of a forgotten moment. */
export const FORGOTTEN_TO = 'log-forgotten-to'

const SQL = {
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',

  addToBacklog: 'INSERT INTO backlog (steps) VALUES (?)',
  backlog: 'SELECT number, steps FROM backlog ORDER BY number',
  dropFromBacklog: 'DELETE FROM backlog WHERE number = ?',

  contextState: 'SELECT state FROM contexts WHERE id = ?',
  threadState: 'SELECT state FROM threads WHERE session = ?',
  answerOf: 'SELECT answer, at FROM moments WHERE delivery = ?',
  contextOf: 'SELECT context, session FROM moments WHERE delivery = ?',
  lastMomentOf: 'SELECT last_moment FROM contexts WHERE id = ?',
  // rows of before the form was kept: of a held one it is not known, so nothing is taken for shown by it
  claimed: `
    SELECT entry, entry_hash, coalesce(form, CASE outcome WHEN 'served' THEN 'text' ELSE 'pointer' END) AS form
    FROM candidates WHERE claim = ?`,
  setting: 'SELECT value FROM settings WHERE name = ?',

  putContext: `
    INSERT INTO contexts (id, session, state, open_claims, last_moment, seen_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, open_claims = excluded.open_claims,
      last_moment = coalesce(excluded.last_moment, last_moment), seen_at = excluded.seen_at`,
  putThread: `
    INSERT INTO threads (session, state, seen_at, thread, runs, moments, denied, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (session) DO UPDATE SET state = excluded.state, seen_at = excluded.seen_at, thread = excluded.thread,
      runs = excluded.runs, moments = moments + excluded.moments, denied = denied + excluded.denied, bytes = bytes + excluded.bytes`,
  // no number is given twice, also when the newest rows were forgotten: who follows the log knows them by number
  addMoment: `
    INSERT INTO moments (number, delivery, context, harness, version, session, thread, run, joining, kind, event, tool, seq, epoch, wave,
      outcome, why, bytes, at, ms_total, ms_match, ms_evidence, answer, holdout)
    VALUES (
      1 + max(coalesce((SELECT max(number) FROM moments), 0),
        coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = '${FORGOTTEN_TO}'), 0)),
      :delivery, :context, :harness, :version, :session, :thread, :run, :joining, :kind, :event, :tool, :seq, :epoch, :wave,
      :outcome, :why, :bytes, :at, :ms_total, :ms_match, :ms_evidence, :answer, :holdout)
    ON CONFLICT (delivery) DO NOTHING`,
  addCandidate: `
    INSERT INTO candidates (moment, position, entry, entry_hash, outcome, claim, form, lane, bytes, item)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (claim) WHERE claim IS NOT NULL DO NOTHING`,
  addGate: 'INSERT INTO gates (moment, context, entry, lift, at) VALUES (?, ?, ?, ?, ?)',
  // each claim is judged once (law 10)
  judgeClaim: 'UPDATE candidates SET verdict = ?, why = ?, verdict_at = ? WHERE claim = ? AND verdict IS NULL',
  // the latest row of a claim stands, and of a withheld entry in a run
  putObedience: `
    INSERT INTO obedience (claim, entry, run, context, verdict, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (claim) WHERE claim IS NOT NULL DO UPDATE SET verdict = excluded.verdict, at = excluded.at
    ON CONFLICT (entry, run) WHERE claim IS NULL DO UPDATE SET verdict = excluded.verdict, at = excluded.at`,
  countMissed: `
    INSERT INTO missed (day, harness, cause, count) VALUES (?, ?, ?, ?)
    ON CONFLICT (day, harness, cause) DO UPDATE SET count = count + excluded.count`,
  putSetting: 'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  dropSetting: 'DELETE FROM settings WHERE name = ?',

  momentAt: `
    SELECT number, delivery, context, harness, version, session, thread, run, joining, kind, event, tool, seq, epoch, wave, outcome,
      why, bytes, at, ms_total, ms_match, ms_evidence, holdout
    FROM moments WHERE number = ?`,
  candidatesOf: 'SELECT * FROM candidates WHERE moment = ? ORDER BY position',
  gatesOf: 'SELECT context, entry, lift, at FROM gates WHERE moment = ? ORDER BY number',
} as const

export type Statements = Readonly<Record<keyof typeof SQL, StatementSync>>

export function prepareStatements(database: DatabaseSync): Statements {
  const prepared = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])
  return Object.fromEntries(prepared) as Statements // one statement for each name of SQL
}
