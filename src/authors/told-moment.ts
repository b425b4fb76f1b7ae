/**
 * A moment that somebody describes (a test of an entry, the flags of `contextmd try`) as the moment that a harness would post.
 *
 * Pure. Names of tools are those of Claude Code where a harness's own name is asked for and not told.
 */
import { isAbsolute, join, resolve } from 'node:path'
import type { SessionTrigger } from '../core/entry.ts'
import { contextIdOf, id, type AgentId, type CallId, type HarnessName, type Millis, type SessionId } from '../core/id.ts'
import type { Moment, PathUse, SessionSource, ToolCall, ToolName, ToolResult } from '../core/moment.ts'
import { canonicalTool } from '../harness/claude-code/decode-tool.ts'
import type { ToldMoment } from '../stores/entry-tests.ts'

export interface MomentPlace {
  /** Folder in which it happens, absolute: relative paths are joined to it. */
  readonly cwd: string
  readonly home: string
  readonly real: (path: string) => string
  readonly at: Millis
}

export const TOLD_SESSION = id<SessionId>('told')
const TOLD_CALL = id<CallId>('told-call')
const TOLD_AGENT = id<AgentId>('told-agent')

const SOURCES: Readonly<Record<Exclude<SessionTrigger, 'subagent'>, SessionSource>> = {
  start: 'startup',
  resume: 'resume',
  compact: 'compact',
}

const OWN_NAMES: Readonly<Record<string, string>> = {
  shell: 'Bash',
  read: 'Read',
  edit: 'Edit',
  write: 'Write',
  search: 'Grep',
  fetch: 'WebFetch',
  task: 'Agent',
}

/** Null if nothing is told that could be a moment. */
export function momentOf(told: ToldMoment, place: MomentPlace): Moment | null {
  const kind = kindOf(told, place)
  if (kind === null) return null
  const harness: HarnessName = told.harness ?? 'claude-code'
  const isSubagent = kind.kind === 'subagent-start' || (told.agent !== undefined && told.agent !== 'main')
  const agent = isSubagent ? TOLD_AGENT : null
  const agentType = told.agent === undefined || told.agent === 'main' || told.agent === 'subagent' ? null : String(told.agent)
  return {
    harness,
    session: TOLD_SESSION,
    agent,
    ...(agentType === null ? {} : { agentType }),
    context: contextIdOf(harness, TOLD_SESSION, agent),
    event: kind.kind,
    deliveryId: null,
    turn: null,
    cwd: place.cwd,
    records: null,
    at: place.at,
    ...kind,
  }
}

type Kind =
  | { readonly kind: 'session-start'; readonly source: SessionSource }
  | { readonly kind: 'subagent-start' }
  | { readonly kind: 'prompt'; readonly text: string; readonly machineMade: false }
  | { readonly kind: 'before-tool'; readonly call: ToolCall }
  | { readonly kind: 'after-tool'; readonly call: ToolCall; readonly result: ToolResult }

function kindOf(told: ToldMoment, place: MomentPlace): Kind | null {
  if (told.session === 'subagent') return { kind: 'subagent-start' }
  if (told.session !== undefined) return { kind: 'session-start', source: SOURCES[told.session] }
  if (told.prompt !== undefined) return { kind: 'prompt', text: String(told.prompt), machineMade: false }
  const hasResult = told.output !== undefined || told.failed !== undefined
  const isCall = [told.command, told.path, told.tool, told.content, told.access].some((value) => value !== undefined)
  if (!isCall && !hasResult) return null
  const call = callOf(told, place)
  if (!hasResult) return { kind: 'before-tool', call }
  return { kind: 'after-tool', call, result: { state: told.failed === true ? 'failed' : 'ok', output: String(told.output ?? '') } }
}

function callOf(told: ToldMoment, place: MomentPlace): ToolCall {
  const named = String(told.tool ?? defaultTool(told))
  const tool = canonicalTool(named, null)
  return {
    id: TOLD_CALL,
    tool,
    harnessTool: OWN_NAMES[named] ?? named,
    cwd: place.cwd,
    paths: told.path === undefined ? [] : [pathUse(String(told.path), told, tool, place)],
    ...(told.command === undefined ? {} : { command: String(told.command) }),
    ...(told.content === undefined ? {} : { content: String(told.content) }),
  }
}

function defaultTool(told: ToldMoment): ToolName {
  if (told.command !== undefined) return 'shell'
  if (told.content !== undefined) return 'write'
  if (told.path !== undefined) return told.access === 'write' ? 'edit' : 'read'
  return 'shell'
}

function pathUse(written: string, told: ToldMoment, tool: ToolName, place: MomentPlace): PathUse {
  const expanded = written.startsWith('~/') ? join(place.home, written.slice(2)) : written
  const path = isAbsolute(expanded) ? expanded : resolve(place.cwd, expanded)
  const isWrite = told.access === 'write' || (told.access === undefined && (tool === 'write' || tool === 'edit'))
  return { path, real: place.real(path), access: isWrite ? 'write' : 'read', ...(tool === 'write' ? { whole: true } : {}) }
}
