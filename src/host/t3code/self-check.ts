/**
 * Finds out by feature what a host's database holds: tables, columns, JSON paths. Never by migration number, which differs from
 * build to build.
 */
import { textIn, numberIn, type HostRows } from './rows.ts'
import { RUNNING_INDEX_NAME } from './running-index.ts'
import { ATTEMPT_SESSION, ATTEMPTS, ITEMS, PROVIDER_THREADS, RUNS, SUBAGENTS, THREAD_SESSION } from './tables.ts'

export type Shape =
  /** `isShown`: rows show a JSON path that the session stands at; until then there were no rows to show it. */
  | { readonly state: 'mapped'; readonly has: Features; readonly isShown: boolean }
  /** `missing`: the table, `TABLE.COLUMN`, or `TABLE.COLUMN` with a JSON path. */
  | { readonly state: 'unmapped'; readonly missing: string; readonly has: Features }

export interface Features {
  readonly providerThreads: boolean
  /** The provider threads' own column. */
  readonly driver: boolean
  readonly runs: boolean
  readonly subagents: boolean
  readonly items: boolean
  /** The partial index over running attempts. */
  readonly index: boolean
  /** JSON columns in which a session of this host may stand, also where it can't be mapped. */
  readonly sessionJson: readonly (readonly [table: string, column: string])[]
}

const NEEDED = {
  [ATTEMPTS]: ['attempt_id', 'thread_id', 'run_id', 'status', 'provider_thread_id', 'payload_json', 'attempt_ordinal'],
  [PROVIDER_THREADS]: ['provider_thread_id', 'thread_id', 'payload_json'],
  [RUNS]: ['run_id', 'thread_id', 'status'],
  [SUBAGENTS]: ['thread_id', 'run_id', 'provider_thread_id', 'child_thread_id'],
  [ITEMS]: ['thread_id', 'provider_thread_id', 'ordinal', 'type', 'status', 'payload_json'],
} as const
/** The last one is version 1's: where a conversation goes on from, with the native session among it. */
const SESSION_JSON = [
  [PROVIDER_THREADS, 'payload_json'],
  [ATTEMPTS, 'payload_json'],
  ['provider_session_runtime', 'resume_cursor_json'],
] as const

export function checkShape(rows: HostRows): Shape {
  const firstMissing = (table: keyof typeof NEEDED): string | null => missingIn(table, NEEDED[table], columnsOf(rows, table))
  const attempts = firstMissing(ATTEMPTS)
  const has: Features = {
    providerThreads: firstMissing(PROVIDER_THREADS) === null,
    driver: columnsOf(rows, PROVIDER_THREADS).has('driver'),
    runs: firstMissing(RUNS) === null,
    subagents: firstMissing(SUBAGENTS) === null,
    items: firstMissing(ITEMS) === null,
    index: rows.all(`SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?1`, [RUNNING_INDEX_NAME]).length > 0,
    sessionJson: SESSION_JSON.filter(([table, column]) => columnsOf(rows, table).has(column)),
  }
  if (attempts !== null) return { state: 'unmapped', missing: attempts, has }
  const path = pathIn(rows, has)
  return typeof path === 'string' ? { state: 'unmapped', missing: path, has } : { state: 'mapped', has, isShown: path }
}

/** Counts every change of the schema, whoever made it. */
export function schemaVersion(rows: HostRows): number {
  return numberIn(rows.all('PRAGMA schema_version')[0], 'schema_version')
}

/** Newest rows that are looked at for the JSON paths. */
const SAMPLE_ROWS = 200

/** True where rows show one of the two paths, false where there are no rows to show any; else the path that is missing. */
function pathIn(rows: HostRows, { providerThreads }: Features): boolean | string {
  const count = (table: string, path: string, where: string) =>
    rows.all(
      `SELECT count(*) AS every, count(CASE WHEN json_valid(payload_json) THEN json_extract(payload_json, ?1) END) AS hits
       FROM (SELECT payload_json FROM ${table} WHERE ${where} ORDER BY rowid DESC LIMIT ${SAMPLE_ROWS})`,
      [path],
    )[0]
  const attempts = count(ATTEMPTS, ATTEMPT_SESSION, STARTED)
  if (numberIn(attempts, 'hits') > 0) return true
  if (providerThreads && numberIn(count(PROVIDER_THREADS, THREAD_SESSION, 'TRUE'), 'hits') > 0) return true
  if (numberIn(attempts, 'every') === 0) return false
  return providerThreads ? `${PROVIDER_THREADS}.payload_json ${THREAD_SESSION}` : `${ATTEMPTS}.payload_json ${ATTEMPT_SESSION}`
}

/** An attempt in one of these states had its native session: the host writes both in one commit. */
const STARTED = `status IN ('running', 'completed', 'superseded')`

function missingIn(table: string, needed: readonly string[], columns: ReadonlySet<string>): string | null {
  if (columns.size === 0) return table
  const column = needed.find((name) => !columns.has(name))
  return column === undefined ? null : `${table}.${column}`
}

function columnsOf(rows: HostRows, table: string): ReadonlySet<string> {
  return new Set(rows.all(`PRAGMA table_info(${table})`).map((row) => textIn(row, 'name') ?? ''))
}
