/**
 * What the OpenCode plugin posts, as moments: OpenCode's own hook calls and bus events, and a few that the plugin makes of them.
 *
 * `{ hook, input, output, version, directory, records, parent, agent, … }`, with `input` and `output` as the hook got them. Takes any JSON
 * value of any version and never throws: fields of a wrong type count as missing, unknown hooks and events are moments of kind `other`.
 */
import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import { contextIdOf, id, type AgentId, type CallId, type DeliveryId, type Millis, type SessionId, type TurnId } from '../../core/id.ts'
import type { BatchCall, Moment, SessionSource } from '../../core/moment.ts'
import type { Problem } from '../../core/problem.ts'
import type { Decoded } from '../../harness.ts'
import { isObject, listIn, objectIn, textIn, type Json } from '../json.ts'
import { callOf, errorKind, resultOf, type Called, type Real } from './decode-tool.ts'

/** What a moment is besides what all have in common, and the id of its own that the event carries. */
interface Kind {
  readonly of: KindOf
  readonly unique: string | null
  readonly isTold?: boolean
}
type KindOf = Moment extends infer M ? (M extends Moment ? Omit<M, BaseKey> : never) : never
type BaseKey =
  | 'harness'
  | 'version'
  | 'session'
  | 'agent'
  | 'agentType'
  | 'context'
  | 'event'
  | 'deliveryId'
  | 'turn'
  | 'cwd'
  | 'records'
  | 'noSeam'
  | 'at'

interface Posted {
  /** The hook's name, or the type of the bus event. */
  readonly name: string
  readonly input: Json
  readonly output: Json
  readonly whole: Json
  readonly isChild: boolean
  readonly folder: string
  readonly real: Real
}

/** Events of the routes under `/api/session`, which call no hook of a plugin but that of the bus. */
const NEWER_ROUTES = 'session.next.'
const BESIDE_PLUGINS: Problem = {
  code: 'opencode_beside_plugins',
  severity: 'warning',
  message: 'An OpenCode session is driven by its newer routes (/api/session), which ask no plugin: nothing is served or held there.',
  cure: 'Let the client use the routes under /session, as opencode run, serve, acp and the SDK of 1.x do.',
}

const OTHER: Kind = { of: { kind: 'other' }, unique: null }
const SOURCES: ReadonlySet<string> = new Set<SessionSource>(['startup', 'resume', 'fork'])

export function decode(event: unknown, at: Millis, real: Real): Decoded {
  if (!isObject(event)) return { ok: false, why: 'the body is not a JSON object' }
  const hook = textIn(event['hook'])
  if (hook === null) return { ok: false, why: 'the event has no hook' }
  const bus = objectIn(objectIn(event['input'])['event'])
  const name = hook === 'event' ? textIn(bus['type']) : hook
  if (name === null) return { ok: false, why: 'the bus event has no type' }
  const input = hook === 'event' ? objectIn(bus['properties']) : objectIn(event['input'])
  const own = sessionOf(name, input, objectIn(event['output']))
  if (own === null) return { ok: false, why: 'the event has no session' }

  const parent = textIn(event['parent'])
  const session = id<SessionId>(parent ?? own)
  const agent = parent === null ? null : id<AgentId>(own)
  const agentType = agent === null ? null : textIn(event['agent'])
  const folder = folderIn(event)
  const version = textIn(event['version'])
  const posted = { name, input, output: objectIn(event['output']), whole: event, isChild: agent !== null, folder, real }
  const { of, unique, isTold } = kindOf(posted)
  const turn = name === 'chat.message' ? messageOf(posted) : null
  const moment = {
    harness: 'opencode',
    ...(version === null ? {} : { version }),
    session,
    agent,
    ...(agentType === null ? {} : { agentType }),
    context: contextIdOf('opencode', session, agent),
    event: name,
    deliveryId: unique === null ? null : id<DeliveryId>(`${own}/${name}/${unique}`),
    turn: turn === null ? null : id<TurnId>(turn),
    cwd: folder,
    records: recordsOf(event, own),
    ...(isTold === true ? { noSeam: true } : {}),
    at,
    ...of,
  } as const satisfies Moment
  return name.startsWith(NEWER_ROUTES) ? { ok: true, moment, problem: BESIDE_PLUGINS } : { ok: true, moment }
}

/** Most hooks name the session in their input; the tap on outgoing messages in its first message. */
function sessionOf(name: string, input: Json, output: Json): string | null {
  if (name === 'experimental.chat.messages.transform') return textIn(objectIn(objectIn(listIn(output['messages'])[0])['info'])['sessionID'])
  return textIn(input['sessionID'])
}

function folderIn(event: Json): string {
  const folder = textIn(event['directory'])
  return folder !== null && isAbsolute(folder) ? folder : '/'
}

/** All sessions share one database: the context's own is named behind its path. */
function recordsOf(event: Json, own: string): string | null {
  const database = textIn(event['records'])
  return database !== null && isAbsolute(database) ? `${database}#${own}` : null
}

function kindOf(posted: Posted): Kind {
  const { name, input, output, whole, isChild } = posted
  switch (name) {
    case 'contextmd.session-start':
      return isChild
        ? { of: { kind: 'subagent-start' }, unique: null }
        : { of: { kind: 'session-start', source: sourceOf(input) }, unique: null }
    case 'chat.message':
      return promptOf(posted)
    case 'contextmd.file':
      return fileOf(posted)
    case 'contextmd.loaded': {
      const path = textIn(input['path'])
      return path === null ? OTHER : { of: { kind: 'loaded', path }, unique: null }
    }
    case 'tool.execute.before': {
      const called = calledIn(input, objectIn(output['args']), whole)
      if (called === null) return OTHER
      const kind = {
        of: { kind: 'before-tool', call: callOf(called, posted.folder, posted.real) },
        unique: uniqueOf(whole, called),
      } as const
      // a task that the person's own command starts: an error there breaks the session (measured)
      return called.call?.startsWith('prt_') ? { ...kind, isTold: true } : kind
    }
    case 'tool.execute.after': {
      const called = calledIn(input, objectIn(input['args']), whole)
      if (called === null) return OTHER
      const call = callOf(called, posted.folder, posted.real)
      return { of: { kind: 'after-tool', call, result: resultOf(called.name, output) }, unique: uniqueOf(whole, called) }
    }
    case 'message.part.updated':
      return errorOf(posted)
    case 'contextmd.batch-end': {
      const calls = listIn(input['calls']).flatMap((call) => (typeof call === 'string' && call !== '' ? [batchCall(call)] : []))
      return { of: { kind: 'batch-end', calls }, unique: textIn(input['messageID']) }
    }
    case 'experimental.session.compacting':
      return { of: { kind: 'compaction', phase: 'announced' }, unique: null }
    // awaited, after the summary and before the message that makes the agent go on
    case 'experimental.compaction.autocontinue':
      return { of: { kind: 'session-start', source: 'compact' }, unique: null }
    case 'session.compacted':
      return { of: { kind: 'session-start', source: 'compact' }, unique: null, isTold: true }
    case 'session.idle':
      return { of: isChild ? { kind: 'subagent-stop' } : { kind: 'stop', again: false }, unique: null }
    case 'session.deleted':
      return { of: { kind: 'session-end' }, unique: null }
    default:
      return OTHER
  }
}

/** A source that is not known counts as a resume: nothing is served before its records were scanned. */
function sourceOf(input: Json): SessionSource {
  const source = textIn(input['source'])
  // checked against the very list of sources
  return source !== null && SOURCES.has(source) ? (source as SessionSource) : 'resume'
}

/** What the program or a plugin adds to a person's message is marked as synthetic. */
function promptOf(posted: Posted): Kind {
  const parts = listIn(posted.output['parts']).map(objectIn)
  const typed = parts.flatMap(({ type, text, synthetic }) =>
    type === 'text' && typeof text === 'string' && synthetic !== true ? [text] : [],
  )
  const isByPerson = typed.length > 0 || parts.some(({ type }) => type === 'file')
  return {
    of: { kind: 'prompt', text: typed.join('\n'), machineMade: posted.isChild || !isByPerson },
    unique: messageOf(posted),
  }
}

function messageOf({ output }: Posted): string | null {
  return textIn(objectIn(output['message'])['id'])
}

/** A file that stands in a person's message: it was read without a call. */
function fileOf({ input, folder, real }: Posted): Kind {
  const path = pathOf(textIn(input['url']))
  if (path === null) return OTHER
  const paths = [{ path, real: real(path), access: 'read' } as const]
  return {
    of: { kind: 'before-tool', call: { id: null, tool: 'read', harnessTool: 'file', cwd: folder, paths } },
    unique: null,
    isTold: true,
  }
}

function pathOf(url: string | null): string | null {
  if (url === null || !url.startsWith('file:')) return null
  try {
    return fileURLToPath(url)
  } catch {
    return null
  }
}

function calledIn(input: Json, args: Json, whole: Json): Called | null {
  const name = textIn(input['tool'])
  return name === null ? null : { name, call: textIn(input['callID']), args, mcpServer: textIn(whole['mcpServer']) }
}

/** A call's id is the model provider's, and some give the same ones again: it counts together with its message. */
function uniqueOf(whole: Json, { call }: Called): string | null {
  const message = textIn(whole['messageID'])
  return message === null || call === null ? null : `${message}/${call}`
}

/** Of a failed call there is only this event, and a denied one looks the same (M7). */
function errorOf({ input, whole, folder, real }: Posted): Kind {
  const part = objectIn(input['part'])
  const state = objectIn(part['state'])
  if (part['type'] !== 'tool' || state['status'] !== 'error') return OTHER
  const called = calledIn(part, objectIn(state['input']), whole)
  if (called === null) return OTHER
  const call = callOf(called, folder, real)
  const kind = whole['wasDenied'] === true ? 'refused' : errorKind(state)
  if (kind === 'refused') return { of: { kind: 'refused', call }, unique: null }
  const result = { state: kind === 'aborted' ? 'unknown' : 'failed', output: textIn(state['error']) ?? '' } as const
  return { of: { kind: 'after-tool', call, result }, unique: null, isTold: true }
}

function batchCall(call: string): BatchCall {
  return { id: id<CallId>(call), output: '' }
}
