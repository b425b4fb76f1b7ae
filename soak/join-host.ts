/** A host's database with very many attempts and items, in a real file, filled by the database itself. */
import { readFileSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Findings } from './findings.ts'

const SCHEMA = new URL('../src/host/t3code/fixtures/schema.sql', import.meta.url)
/** Attempts of one thread. */
const ATTEMPTS_A_THREAD = 5
/** The last so many attempts still run. */
export const RUNNING = 20
const BLOCK = 250_000

export interface HostSize {
  readonly attempts: number
  readonly items: number
}

/** The native session of an attempt's thread. */
export function sessionOf(attempt: number): string {
  return `6f1c2b1e-0000-4000-8000-${String(attempt - (attempt % ATTEMPTS_A_THREAD)).padStart(12, '0')}`
}

export function threadOf(attempt: number): string {
  return `thread-${attempt - (attempt % ATTEMPTS_A_THREAD)}`
}

/** Ids as long as a host's, and a payload of some hundred bytes. Gives the bytes of the file. */
export function fillHost(file: string, { attempts, items }: HostSize, findings: Findings): number {
  const database = new DatabaseSync(file)
  const [tables, indexes] = schemaParts()
  database.exec(`${tables}; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; PRAGMA wal_autocheckpoint = 100000`)
  // parameters are numbers of this program
  database.exec(`
    BEGIN;
    INSERT INTO orchestration_v2_projection_provider_threads
      (provider_thread_id, thread_id, provider, status, updated_at, payload_json, driver)
      ${numbers(0, attempts)}
      SELECT ${PROVIDER_THREAD}, ${THREAD}, 'claudeAgent', 'idle', '2026-10-12T10:00:00.000Z',
        json_object('nativeThreadRef', json_object('driver', 'claudeAgent', 'nativeId', ${SESSION}, 'strength', 'strong')), 'claudeAgent'
      FROM numbers WHERE n % ${ATTEMPTS_A_THREAD} = 0;
    INSERT INTO orchestration_v2_projection_run_attempts
      (attempt_id, thread_id, run_id, attempt_ordinal, root_node_id, provider, provider_thread_id, status, payload_json)
      ${numbers(0, attempts)}
      SELECT 'run-attempt:run:thread:' || n || ':attempt:1', ${THREAD}, 'run:thread:' || n, 1, 'node:' || n, 'claudeAgent', ${PROVIDER_THREAD},
        CASE WHEN n >= ${attempts - RUNNING} AND n % ${ATTEMPTS_A_THREAD} = ${ATTEMPTS_A_THREAD - 1} THEN 'running' ELSE 'completed' END,
        json_object('id', 'run-attempt:run:thread:' || n || ':attempt:1', 'runId', 'run:thread:' || n, 'threadId', ${THREAD},
          'reason', 'initial', 'nativeThreadId', ${SESSION}, 'startedAt', '2026-10-12T10:00:00.000Z', 'completedAt', '2026-10-12T10:00:00.000Z')
      FROM numbers;
    COMMIT`)
  for (let from = 0; from < items; from += BLOCK) {
    database.exec(`
      INSERT INTO orchestration_v2_projection_turn_items
        (turn_item_id, thread_id, run_id, provider_thread_id, ordinal, type, status, updated_at, payload_json)
        ${numbers(from, Math.min(items, from + BLOCK))}
        SELECT 'turn-item:' || n, 'thread-' || ((n * ${ATTEMPTS_A_THREAD}) % ${attempts}), NULL, NULL, n, 'command_execution', 'completed',
          '2026-10-12T10:00:00.000Z', json_object('type', 'command_execution', 'nativeItemRef',
            json_object('driver', 'claudeAgent', 'nativeId', 'toolu_' || n, 'strength', 'strong'), 'input', 'npm test', 'output', 'ok')
        FROM numbers`)
  }
  findings.say(`${items} items written`)
  database.exec(indexes)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return statSync(file).size
}

/** Indexes are made after the rows: that takes a tenth of the time. */
function schemaParts(): [string, string] {
  const statements = readFileSync(SCHEMA, 'utf8')
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  const isIndex = (one: string) => /^CREATE (UNIQUE )?INDEX/.test(one)
  return [statements.filter((one) => !isIndex(one)).join(';'), statements.filter(isIndex).join(';')]
}

function numbers(from: number, to: number): string {
  return `WITH RECURSIVE numbers (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${to})`
}

const FIRST = `(n - n % ${ATTEMPTS_A_THREAD})`
const THREAD = `'thread-' || ${FIRST}`
const SESSION = `'6f1c2b1e-0000-4000-8000-' || printf('%012d', ${FIRST})`
const PROVIDER_THREAD = `'provider-thread:provider:claudeAgent:native-thread:' || ${FIRST}`
