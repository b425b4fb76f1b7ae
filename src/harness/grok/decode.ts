/**
 * Grok Build's hook events as moments.
 *
 * Takes any JSON value of any version and never throws: fields of a wrong type count as missing, unknown fields are passed over,
 * unknown events are moments of kind `other`. The camel-case fields are read: every version has them.
 */
import { dirname, isAbsolute, join } from 'node:path'
import { contextIdOf, id, type AgentId, type DeliveryId, type Millis, type SessionId, type TurnId } from '../../core/id.ts'
import type { Moment } from '../../core/moment.ts'
import type { Decoded } from '../../harness.ts'
import { isObject, textIn, type Json } from '../json.ts'
import { failureOf, resultOf } from './decode-result.ts'
import { callOf, type Real } from './decode-tool.ts'

/** The file that holds the messages as the model gets them, beside the one that events name. */
export const HISTORY = 'chat_history.jsonl'

/** A finished background command starts a turn by itself, with a prompt that nobody typed. */
const MACHINE_MADE = /^task-completed-/
const REMINDER = '<system-reminder>'
/** The stop that comes when the program ends, after the turn's own: nothing that is said there reaches a model. */
const AT_THE_END = 'shutdown'

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

export function decode(event: unknown, at: Millis, real: Real): Decoded {
  if (!isObject(event)) return { ok: false, why: 'the body is not a JSON object' }
  const told = textIn(event['sessionId'])
  if (told === null) return { ok: false, why: 'the event has no sessionId' }
  const snake = textIn(event['hookEventName'])
  if (snake === null) return { ok: false, why: 'the event has no hookEventName' }

  // A subagent's session is its own, told by a type; where it starts, its parent tells.
  const started = snake === 'subagent_start' ? textIn(event['subagentId']) : null
  const session = id<SessionId>(started ?? told)
  const agentType = textIn(event['subagentType'])
  const named = textIn(event['cwd'])
  const cwd = named !== null && isAbsolute(named) ? named : '/'
  const turn = textIn(event['promptId'])
  // versions before the aliases have the snake-case name alone: `isOlder`
  const name = textIn(event['hook_event_name']) ?? snake
  const { of, unique } = kindOf(snake, event, cwd, real)
  const moment = {
    harness: 'grok',
    session,
    agent: started !== null || agentType !== null ? id<AgentId>(session) : null,
    ...(agentType === null ? {} : { agentType }),
    ...(started === null ? {} : { parent: id<SessionId>(told) }),
    // a session is one model window: some events of a subagent do not say that they are
    context: contextIdOf('grok', session, null),
    event: name,
    deliveryId: unique === null ? null : id<DeliveryId>(`${session}/${name}/${unique}/${textIn(event['timestamp']) ?? ''}`),
    turn: turn === null ? null : id<TurnId>(turn),
    cwd,
    records: started === null ? recordsOf(event) : null,
    at,
    ...of,
  } as const satisfies Moment
  return { ok: true, moment }
}

/** True for the events of versions that take no context at tools: they have no second spelling of their names. */
export function isOlder(moment: Pick<Moment, 'event'>): boolean {
  return moment.event === moment.event.toLowerCase()
}

function kindOf(name: string, event: Json, cwd: string, real: Real): Kind {
  switch (name) {
    case 'session_start':
      // anything that is not new replays what its records hold
      return { of: { kind: 'session-start', source: event['source'] === 'new' ? 'startup' : 'resume' }, unique: null }
    case 'user_prompt_submit':
      return promptOf(event)
    case 'pre_tool_use':
    case 'permission_denied': {
      const call = callOf(event, cwd, real)
      return call === null ? OTHER : { of: { kind: name === 'pre_tool_use' ? 'before-tool' : 'refused', call }, unique: call.id }
    }
    case 'post_tool_use':
    case 'post_tool_use_failure': {
      const call = callOf(event, cwd, real)
      if (call === null) return OTHER
      const result = name === 'post_tool_use' ? resultOf(event['toolResult']) : failureOf(event)
      return { of: { kind: 'after-tool', call, result }, unique: call.id }
    }
    case 'pre_compact':
      return { of: { kind: 'compaction', phase: 'announced' }, unique: null }
    case 'post_compact':
      // no session start follows here as it does elsewhere: this is where the conversation begins anew
      return { of: { kind: 'session-start', source: 'compact' }, unique: null }
    case 'subagent_start':
      return textIn(event['subagentId']) === null ? OTHER : { of: { kind: 'subagent-start' }, unique: 'start' }
    case 'subagent_stop':
      return { of: { kind: 'subagent-stop' }, unique: null }
    case 'stop':
      if (event['reason'] === AT_THE_END) return { of: { kind: 'session-end' }, unique: null }
      return { of: { kind: 'stop', again: event['stopHookActive'] === true }, unique: null }
    case 'stop_failure':
    case 'stop_cancelled':
      // the run is over all the same, but these take no text
      return { of: { kind: 'stop', again: false, noSeam: true }, unique: null }
    case 'session_end':
      return { of: { kind: 'session-end' }, unique: null }
    default:
      return OTHER
  }
}

/** A subagent's prompt was written by an agent. Other clients may give every prompt one id, hence the time beside it (T12). */
function promptOf(event: Json): Kind {
  const text = textIn(event['prompt']) ?? ''
  const unique = textIn(event['promptId'])
  const machineMade = textIn(event['subagentType']) !== null || MACHINE_MADE.test(unique ?? '') || text.trimStart().startsWith(REMINDER)
  return { of: { kind: 'prompt', text, machineMade }, unique }
}

/** At a new session's start and first prompt there is none yet. */
function recordsOf(event: Json): string | null {
  const updates = textIn(event['transcriptPath'])
  return updates === null || !isAbsolute(updates) ? null : join(dirname(updates), HISTORY)
}
