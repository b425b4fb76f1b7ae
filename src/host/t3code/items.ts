/** The host's timeline items of tool calls: found by their exact native id, with the text of their result by the type of the item. */
import type { T3Database } from './database.ts'
import { numberIn, textIn, type HostRow } from './rows.ts'
import { FINISHED_ITEM, ITEMS } from './tables.ts'

export interface Item {
  readonly thread: string
  readonly providerThread: string | null
  readonly ordinal: number
  readonly type: string
  readonly status: string
  readonly isFinished: boolean
  readonly call: string
  /** When it was done, in milliseconds since the epoch; null: not told. */
  readonly doneAt: number | null
  readonly payload: Readonly<Record<string, unknown>>
}

/** Newest items of a thread that are searched: a claim's call is among the latest ones. Bounds what a look costs in a long thread. */
const MOST_ITEMS = 200
/** Results are read out of payloads up to here: each one is parsed, and no file that gates hang on is that long. */
const MOST_BYTES = 256 * 1024

const COLUMNS = 'thread_id, provider_thread_id, ordinal, type, status, updated_at, payload_json'
const NEWEST = `SELECT ${COLUMNS} FROM ${ITEMS} WHERE thread_id = ?1 ORDER BY ordinal DESC LIMIT ${MOST_ITEMS}`
const NATIVE_ID = `json_extract(payload_json, '$.nativeItemRef.nativeId')`
const DRIVER = `json_extract(payload_json, '$.nativeItemRef.driver')`
// the search for the id spares parsing most payloads; what counts is that both are equal
const SELECT_CALL = `
  SELECT * FROM (${NEWEST}) AS newest
  WHERE CASE WHEN instr(payload_json, ?2) > 0 AND json_valid(payload_json) THEN ${NATIVE_ID} = ?2 AND ${DRIVER} = ?3 END`
const SELECT_CALLS = `
  SELECT * FROM (${NEWEST}) AS newest
  WHERE type IN ('command_execution', 'dynamic_tool') AND status = 'completed'
    AND CASE WHEN length(payload_json) < ${MOST_BYTES} AND json_valid(payload_json) THEN ${DRIVER} = ?2 END`
const SELECT_LATER = `
  SELECT type, updated_at, CASE WHEN json_valid(payload_json) THEN json_extract(payload_json, '$.startedAt') END AS started_at
  FROM ${ITEMS} WHERE thread_id = ?1 AND ordinal > ?2 AND provider_thread_id IS ?3 ORDER BY ordinal LIMIT ${MOST_ITEMS}`

/** The items of one call: by equality of the native id and the driver, in these threads. More than one: which one it is can't be told. */
export function itemsOf(database: T3Database, threads: readonly string[], call: string, driver: string): readonly Item[] {
  return threads.flatMap((thread) => database.rows.all(SELECT_CALL, [thread, call, driver]).flatMap(itemIn))
}

/** Calls that went well, newest first: for reads. */
export function doneCalls(database: T3Database, threads: readonly string[], driver: string): readonly Item[] {
  return threads.flatMap((thread) => database.rows.all(SELECT_CALLS, [thread, driver]).flatMap(itemIn))
}

export type Later = 'text' | 'call' | null

/**
 * What the model made after an item was done, in the same conversation: `text`, or only calls. A call may be of the very reply that
 * made the item's (G19), a text that began after the item was done is a new one.
 */
export function laterThan(database: T3Database, item: Item): Later {
  let later: Later = null
  for (const row of database.rows.all(SELECT_LATER, [item.thread, item.ordinal, item.providerThread])) {
    const startedAt = timeOf(row['started_at'] ?? row['updated_at'])
    const isAfter = item.doneAt !== null && startedAt !== null && startedAt > item.doneAt
    if (!isAfter) continue
    if (MODEL_TEXTS.has(textIn(row, 'type') ?? '')) return 'text'
    if (MODEL_CALLS.has(textIn(row, 'type') ?? '')) later = 'call'
  }
  return later
}

const MODEL_TEXTS: ReadonlySet<string> = new Set(['assistant_message', 'reasoning', 'proposed_plan'])
const MODEL_CALLS: ReadonlySet<string> = new Set([
  'command_execution',
  'file_change',
  'dynamic_tool',
  'file_search',
  'web_search',
  'subagent',
  'todo_list',
])

function itemIn(row: HostRow): readonly Item[] {
  const payload = payloadIn(row)
  const thread = textIn(row, 'thread_id')
  const call = objectIn(payload['nativeItemRef'])['nativeId']
  if (thread === null || typeof call !== 'string' || call === '') return []
  const status = textIn(row, 'status') ?? ''
  return [
    {
      thread,
      providerThread: textIn(row, 'provider_thread_id'),
      ordinal: numberIn(row, 'ordinal'),
      type: textIn(row, 'type') ?? '',
      status,
      isFinished: FINISHED_ITEM.has(status),
      call,
      doneAt: timeOf(payload['completedAt'] ?? payload['updatedAt'] ?? row['updated_at']),
      payload,
    },
  ]
}

function payloadIn(row: HostRow): Readonly<Record<string, unknown>> {
  try {
    return objectIn(JSON.parse(textIn(row, 'payload_json') ?? '{}'))
  } catch {
    return {}
  }
}

export function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  // an object that is no list has text keys
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/** Milliseconds since the epoch of an ISO text. */
function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? null : time
}
