/**
 * Claude Code's hook events as moments.
 *
 * Takes any JSON value of any version and never throws: fields of a wrong type count as missing, unknown fields are passed over,
 * unknown events are moments of kind `other`.
 */
import { basename, dirname, isAbsolute, join } from 'node:path'
import { contextIdOf, id, type AgentId, type DeliveryId, type Millis, type SessionId, type TurnId } from '../../core/id.ts'
import type { BatchCall, Moment, MomentKind, SessionSource } from '../../core/moment.ts'
import type { Problem } from '../../core/problem.ts'
import type { Decoded } from '../../harness.ts'
import { callOf, failureOf, outputOf, type Real } from './decode-tool.ts'
import { isObject, listIn, objectIn, textIn, type Json } from '../json.ts'

const SOURCES: ReadonlySet<string> = new Set<SessionSource>(['startup', 'resume', 'fork', 'clear', 'compact'])

/** A background agent's notice is posted as a prompt, without a field that says so. */
const MACHINE_MADE = '<task-notification>'

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

const TOOL_EVENTS: ReadonlySet<string> = new Set(['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionDenied'])

const OTHER: Kind = { of: { kind: 'other' }, unique: null }

export function decode(event: unknown, at: Millis, real: Real): Decoded {
  if (!isObject(event)) return { ok: false, why: 'the body is not a JSON object' }
  const session = textIn(event['session_id'])
  if (session === null) return { ok: false, why: 'the event has no session_id' }
  const name = textIn(event['hook_event_name'])
  if (name === null) return { ok: false, why: 'the event has no hook_event_name' }

  const named = textIn(event['cwd'])
  const cwd = named !== null && isAbsolute(named) ? named : '/'
  const agentId = textIn(event['agent_id'])
  const agent = agentId === null ? null : id<AgentId>(agentId)
  const agentType = textIn(event['agent_type'])
  const turn = textIn(event['prompt_id'])
  const { of, unique } = kindOf(name, event, cwd, real)
  // an event that is no longer written as it was must be told, not taken for one of no use (S9)
  if (of.kind === 'other' && TOOL_EVENTS.has(name)) return { ok: false, why: 'the event of a tool names no tool' }
  const moment = {
    harness: 'claude-code',
    session: id<SessionId>(session),
    agent,
    ...(agentType === null ? {} : { agentType }),
    context: contextIdOf('claude-code', id<SessionId>(session), agent),
    event: name,
    deliveryId: unique === null ? null : id<DeliveryId>(`${session}/${name}/${unique}`),
    turn: turn === null ? null : id<TurnId>(turn),
    cwd,
    records: recordsOf(event, agentId),
    at,
    ...of,
  } as const satisfies Moment
  const isBlind = 'call' in moment && moment.call.tool === 'shell' && moment.call.command === undefined
  return { ok: true, moment, ...(isBlind ? { problem: BLIND } : {}) }
}

/** Rules on commands would be passed without a word (S9). */
const BLIND: Problem = {
  code: 'event_without_command',
  severity: 'error',
  message: "Claude Code told of a shell call without its command: rules on commands can't match it.",
  cure: 'This version of Claude Code writes its events in another way. Report it with its version.',
}

function kindOf(name: string, event: Json, cwd: string, real: Real): Kind {
  switch (name) {
    case 'SessionStart':
      return { of: { kind: 'session-start', source: sourceOf(event) }, unique: null }
    case 'UserPromptSubmit':
      return promptOf(event)
    case 'PreToolUse':
      return toolKind(event, cwd, real, 'before-tool')
    case 'PermissionDenied':
      return toolKind(event, cwd, real, 'refused')
    case 'PostToolUse':
    case 'PostToolUseFailure': {
      const call = callOf(event, cwd, real)
      if (call === null) return OTHER
      const result = name === 'PostToolUse' ? ({ state: 'ok', output: outputOf(event['tool_response']) } as const) : failureOf(event)
      return { of: { kind: 'after-tool', call, result }, unique: call.id }
    }
    case 'PostToolBatch': {
      const calls = listIn(event['tool_calls']).flatMap(batchCallOf)
      return { of: { kind: 'batch-end', calls }, unique: calls[0]?.id ?? null }
    }
    case 'PreCompact':
      return { of: { kind: 'compaction', phase: 'announced' }, unique: null }
    case 'PostCompact':
      return { of: { kind: 'compaction', phase: 'done' }, unique: null }
    case 'SubagentStart':
      return { of: { kind: 'subagent-start' }, unique: textIn(event['agent_id']) }
    case 'SubagentStop':
      // the hidden worker of a compaction ends as a subagent without a type that never started
      return textIn(event['agent_type']) === null ? OTHER : { of: { kind: 'subagent-stop' }, unique: null }
    case 'Stop':
      return { of: { kind: 'stop', again: event['stop_hook_active'] === true }, unique: null }
    case 'StopFailure':
      // the turn ended with a model error: the run is over all the same
      return { of: { kind: 'stop', again: false }, unique: null }
    case 'SessionEnd':
      return { of: { kind: 'session-end' }, unique: null }
    case 'InstructionsLoaded': {
      const path = textIn(event['file_path'])
      return path === null ? OTHER : { of: { kind: 'loaded', path }, unique: null }
    }
    // UserPromptExpansion comes beside the UserPromptSubmit of the same slash command; PermissionRequest has no id of its call.
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

function promptOf(event: Json): Kind {
  const text = textIn(event['prompt']) ?? ''
  return { of: { kind: 'prompt', text, machineMade: text.trimStart().startsWith(MACHINE_MADE) }, unique: textIn(event['prompt_id']) }
}

function toolKind(event: Json, cwd: string, real: Real, kind: Extract<MomentKind, 'before-tool' | 'refused'>): Kind {
  const call = callOf(event, cwd, real)
  return call === null ? OTHER : { of: { kind, call }, unique: call.id }
}

function batchCallOf(value: unknown): readonly BatchCall[] {
  const call = objectIn(value)
  const callId = textIn(call['tool_use_id'])
  return callId === null ? [] : [{ id: id<BatchCall['id']>(callId), output: outputOf(call['tool_response']) }]
}

/** In a subagent the event names the parent's session file; its own lies in a folder beside it. */
function recordsOf(event: Json, agentId: string | null): string | null {
  const session = textIn(event['transcript_path'])
  if (session === null || !isAbsolute(session)) return null
  if (agentId === null) return session
  return join(dirname(session), basename(session, '.jsonl'), 'subagents', `agent-${agentId}.jsonl`)
}
