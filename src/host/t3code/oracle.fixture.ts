/** What a host's database says of a session, by plain questions over all of its rows: slow, and easy to see to be right. */
import type { DatabaseSync } from 'node:sqlite'
import type { HarnessName } from '../../core/id.ts'
import { DRIVERS } from './tables.ts'

const P = 'orchestration_v2_projection_'
const OWN = `
  SELECT DISTINCT a.attempt_id, a.run_id, a.thread_id FROM ${P}run_attempts a
  LEFT JOIN ${P}provider_threads p ON p.provider_thread_id = a.provider_thread_id
  WHERE a.status = 'running' AND json_extract(a.payload_json, '$.nativeThreadId') = :session
    AND (p.driver IS NULL OR p.driver = :driver)`
const BARE = `
  SELECT DISTINCT a.attempt_id, a.run_id, a.thread_id FROM ${P}run_attempts a
  JOIN ${P}provider_threads p ON p.provider_thread_id = a.provider_thread_id
  WHERE a.status = 'running' AND json_extract(a.payload_json, '$.nativeThreadId') IS NULL
    AND json_extract(p.payload_json, '$.nativeThreadRef.nativeId') = :session AND (p.driver IS NULL OR p.driver = :driver)`
const PARENT = `
  SELECT DISTINCT a.attempt_id, a.run_id, a.thread_id FROM ${P}provider_threads p
  JOIN ${P}subagents s ON s.provider_thread_id = p.provider_thread_id
  JOIN ${P}run_attempts a ON a.run_id = s.run_id AND a.status = 'running'
  WHERE json_extract(p.payload_json, '$.nativeThreadRef.nativeId') = :session AND (p.driver IS NULL OR p.driver = :driver)`

export type Expected =
  | { readonly state: 'joined'; readonly thread: string; readonly run: string }
  | { readonly state: 'ambiguous' | 'none' }

export function expectedOf(database: DatabaseSync, session: string, harness: HarnessName): Expected {
  for (const sql of [OWN, BARE, PARENT]) {
    const rows = database.prepare(sql).all({ session, driver: DRIVERS[harness] })
    if (rows.length > 1) return { state: 'ambiguous' }
    const row = rows[0]
    if (row !== undefined) return { state: 'joined', thread: String(row['thread_id']), run: String(row['run_id']) }
  }
  return { state: 'none' }
}

/** The latest attempt of the run is to start, or waits for its successor. */
export function isGap(database: DatabaseSync, run: string): boolean {
  const sql = `SELECT status FROM ${P}run_attempts WHERE run_id = ? ORDER BY attempt_ordinal DESC LIMIT 1`
  return ['pending', 'superseded'].includes(String(database.prepare(sql).get(run)?.['status']))
}

/** The run was taken back. What its attempts say counts no more. */
export function isRolledBack(database: DatabaseSync, run: string): boolean {
  return database.prepare(`SELECT status FROM ${P}runs WHERE run_id = ?`).get(run)?.['status'] === 'rolled_back'
}
