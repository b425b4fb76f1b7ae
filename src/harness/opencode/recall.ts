/**
 * Reads a call back from OpenCode's database, which holds all sessions. A call's id is the model provider's, and some give the same ones
 * again: the newest one of that id counts. Which tools are of MCP servers does not stand there.
 */
import { DatabaseSync } from 'node:sqlite'
import type { Recall, RecalledCall, RecallPlace } from '../recall.ts'
import { objectIn, textIn, type Json } from '../json.ts'
import { databaseIn } from './plugin/moments.ts'

/** The program is busy with its database for moments only. */
const BUSY_MS = 1_000

/** Parts that are calls, the newest first. The number behind a type is the version of its form. */
const CALLS = `SELECT aggregate_id AS session, data FROM event
  WHERE type LIKE 'message.part.updated%' AND json_extract(data, '$.part.type') = 'tool' AND (? IS NULL OR aggregate_id = ?)`
const LAST_CALL = `${CALLS} ORDER BY rowid DESC LIMIT 1`
const CALL = `${CALLS} AND json_extract(data, '$.part.callID') = ? ORDER BY rowid DESC LIMIT 1`

/** The program adds nothing to what a plugin throws: a deny of ours is known by its first words. */
const DENIED = /^(?:Not a failure: rule "|Rule "[^"]*" forbids this)/

export const recall: Recall = { files: databases, call: recallCall }

/** The one database, with the session behind it where that is known, as records are named. */
function databases({ env, home }: RecallPlace, session: string | null, agent: string | null): readonly string[] {
  const file = databaseIn({ ...env, HOME: home })
  if (file === null) return []
  const own = agent ?? session
  return [own === null ? file : `${file}#${own}`]
}

async function recallCall(named: string, wanted: string | null): Promise<RecalledCall | null> {
  const [file = named, session = null] = named.split('#')
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS })
    const found = wanted === null ? database.prepare(LAST_CALL).get(session, session) : database.prepare(CALL).get(session, session, wanted)
    if (found === undefined) return null
    const own = String(found['session'])
    const part = objectIn(objectIn(parsed(found['data']))['part'])
    return recalled({ file, own, part, parent: parentOf(database, own), folder: folderOf(database, own, textIn(part['messageID'])) })
  } catch {
    // a file of another kind, or of a form that is not known, holds no call
    return null
  } finally {
    database?.close()
  }
}

interface Found {
  readonly file: string
  /** The call's own session, a subagent's too. */
  readonly own: string
  readonly part: Json
  readonly parent: string | null
  readonly folder: string | null
}

function recalled({ file, own, part, parent, folder }: Found): RecalledCall | null {
  const call = textIn(part['callID'])
  const tool = textIn(part['tool'])
  if (call === null || tool === null) return null
  const state = objectIn(part['state'])
  const args = objectIn(state['input'])
  const base = { directory: folder ?? '/', records: file, parent, messageID: part['messageID'] }
  const input = { tool, sessionID: own, callID: call }
  const wasDenied = state['status'] === 'error' && DENIED.test(textIn(state['error']) ?? '')
  const startedAt = objectIn(state['time'])['start']
  return {
    call,
    file,
    before: { ...base, hook: 'tool.execute.before', input, output: { args } },
    after: wasDenied ? null : afterOf(base, { ...input, args }, part),
    wasDenied,
    at: typeof startedAt === 'number' ? startedAt : null,
  }
}

function afterOf(base: Json, input: Json, part: Json): Json | null {
  const state = objectIn(part['state'])
  switch (state['status']) {
    case 'completed':
      return { ...base, hook: 'tool.execute.after', input, output: { output: state['output'], metadata: state['metadata'] } }
    case 'error': {
      // of a failed call there is only this event
      const event = { type: 'message.part.updated', properties: { sessionID: input['sessionID'], part } }
      return { ...base, hook: 'event', input: { event } }
    }
    default:
      return null
  }
}

function parentOf(database: DatabaseSync, session: string): string | null {
  const row = database.prepare('SELECT parent_id AS parent FROM session WHERE id = ?').get(session)
  return textIn(row?.['parent'])
}

/** The folder stands in the message that made the call. */
function folderOf(database: DatabaseSync, session: string, message: string | null): string | null {
  const row = database
    .prepare(
      `SELECT json_extract(data, '$.info.path.cwd') AS cwd FROM event
       WHERE aggregate_id = ? AND type LIKE 'message.updated%' AND json_extract(data, '$.info.id') = ? ORDER BY rowid DESC LIMIT 1`,
    )
    .get(session, message)
  return textIn(row?.['cwd'])
}

function parsed(data: unknown): unknown {
  return typeof data === 'string' ? JSON.parse(data) : null
}
