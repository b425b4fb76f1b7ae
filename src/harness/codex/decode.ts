/**
 * Codex's hook events as moments.
 *
 * Takes any JSON value of any version and never throws: fields of a wrong type count as missing, unknown fields are passed over,
 * unknown events are moments of kind `other`.
 */
import { isAbsolute } from 'node:path'
import { contextIdOf, id, type AgentId, type DeliveryId, type Millis, type SessionId, type TurnId } from '../../core/id.ts'
import type { Moment, SessionSource } from '../../core/moment.ts'
import type { Decoded } from '../../harness.ts'
import { callOf, resultOf, type ExitCodeOf, type Real } from './decode-tool.ts'
import { isObject, textIn, type Json } from './json.ts'

export interface DecodeParts {
  readonly real: Real
  readonly exitCodeOf: ExitCodeOf
}

const SOURCES: ReadonlySet<string> = new Set<SessionSource>(['startup', 'resume', 'fork', 'clear', 'compact'])
const TOOL_EVENTS: ReadonlySet<string> = new Set(['PreToolUse', 'PostToolUse'])

/** What a moment is besides what all have in common, and the id of its own that the event carries. */
type Kind = { readonly of: KindOf; readonly unique: string | null }
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
  | 'at'

const OTHER: Kind = { of: { kind: 'other' }, unique: null }

export function decode(event: unknown, at: Millis, parts: DecodeParts): Decoded {
  if (!isObject(event)) return { ok: false, why: 'the body is not a JSON object' }
  const session = textIn(event['session_id'])
  if (session === null) return { ok: false, why: 'the event has no session_id' }
  const name = textIn(event['hook_event_name'])
  if (name === null) return { ok: false, why: 'the event has no hook_event_name' }

  const named = textIn(event['cwd'])
  const cwd = named !== null && isAbsolute(named) ? named : '/'
  const agentId = agentOf(event, session)
  const agent = agentId === null ? null : id<AgentId>(agentId)
  const agentType = textIn(event['agent_type'])
  const turn = textIn(event['turn_id'])
  // only the client of an mcp_tool hook tells it, beside the event
  const version = textIn(event['version'])
  const records = recordsOf(event)
  const { of, unique } = kindOf(name, event, { cwd, records, agentId, turn }, parts)
  // an event that is no longer written as it was must be told, not taken for one of no use (S9)
  if (of.kind === 'other' && TOOL_EVENTS.has(name)) return { ok: false, why: 'the event of a tool names no tool' }
  const moment = {
    harness: 'codex',
    ...(version === null ? {} : { version }),
    session: id<SessionId>(session),
    agent,
    ...(agentType === null ? {} : { agentType }),
    context: contextIdOf('codex', id<SessionId>(session), agent),
    event: name,
    deliveryId: unique === null ? null : id<DeliveryId>(`${agentId ?? session}/${name}/${unique}`),
    turn: turn === null ? null : id<TurnId>(turn),
    cwd,
    records,
    at,
    ...of,
  } as const satisfies Moment
  return { ok: true, moment }
}

interface Known {
  readonly cwd: string
  readonly records: string | null
  readonly agentId: string | null
  readonly turn: string | null
}

function kindOf(name: string, event: Json, { cwd, records, agentId, turn }: Known, { real, exitCodeOf }: DecodeParts): Kind {
  switch (name) {
    case 'SessionStart':
      return { of: { kind: 'session-start', source: sourceOf(event) }, unique: null }
    case 'UserPromptSubmit':
      // A prompt that is steered into a running turn has that turn's id: it is no id of the prompt (T12). What a subagent is told
      // comes as its prompt, and no person typed it (T13).
      return { of: { kind: 'prompt', text: textIn(event['prompt']) ?? '', machineMade: agentId !== null }, unique: null }
    case 'PreToolUse': {
      const call = callOf(event, cwd, real)
      return call === null ? OTHER : { of: { kind: 'before-tool', call }, unique: call.id }
    }
    case 'PostToolUse': {
      const call = callOf(event, cwd, real)
      if (call === null) return OTHER
      return { of: { kind: 'after-tool', call, result: resultOf(event, call, records, exitCodeOf) }, unique: call.id }
    }
    case 'PreModelRequest': {
      // nothing is sent to the model before all calls of its last reply are done; what they gave stands in the records
      const request = textIn(event['request_id'])
      return { of: { kind: 'batch-end', calls: [] }, unique: request === null ? null : `${request}/${String(event['attempt_number'])}` }
    }
    case 'PreCompact':
      return { of: { kind: 'compaction', phase: 'announced' }, unique: null }
    case 'PostCompact':
      // The main agent is told by a session start, where text gets in, before its next request; a subagent by nothing else (T8).
      if (agentId !== null) return { of: { kind: 'session-start', source: 'compact', noSeam: true }, unique: null }
      return { of: { kind: 'compaction', phase: 'done' }, unique: null }
    case 'SubagentStart':
      return { of: { kind: 'subagent-start' }, unique: agentId === null || turn === null ? null : `${agentId}/${turn}` }
    case 'SubagentStop':
      return { of: { kind: 'subagent-stop' }, unique: null }
    case 'Stop':
      return { of: { kind: 'stop', again: event['stop_hook_active'] === true }, unique: null }
    case 'Interrupt':
      // a person ended the turn: no Stop follows
      return { of: { kind: 'stop', again: false }, unique: null }
    case 'SessionEnd':
      return { of: { kind: 'session-end' }, unique: null }
    // PermissionRequest has no id of its call; PostModelRequest tells nothing that the records do not.
    default:
      return OTHER
  }
}

/** A source that is not known counts as a resume: nothing is served before its records were scanned. */
function sourceOf(event: Json): SessionSource {
  const source = textIn(event['source'])
  // checked against the very list of sources
  return source !== null && SOURCES.has(source) ? (source as SessionSource) : 'resume'
}

/** A subagent by its thread: the events of tools name it as an agent, those of model requests as a thread. */
function agentOf(event: Json, session: string): string | null {
  const thread = textIn(event['agent_id']) ?? textIn(event['thread_id'])
  return thread === session ? null : thread
}

/** In a subagent the event names the subagent's own file, but for its end, where the parent's stands beside it. Null: `--ephemeral`. */
function recordsOf(event: Json): string | null {
  const path = textIn(event['agent_transcript_path']) ?? textIn(event['transcript_path'])
  return path !== null && isAbsolute(path) ? path : null
}
