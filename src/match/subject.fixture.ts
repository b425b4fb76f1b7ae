/** Entries and moments for tests of matching. */
import type { Entry, TriggerItem } from '../core/entry.ts'
import { contextIdOf, id } from '../core/id.ts'
import type { CallId, EntryId, SessionId, TextHash } from '../core/id.ts'
import type { Moment, ToolCall, ToolResult } from '../core/moment.ts'
import type { Subject } from './match.ts'

export const HOME = '/home/dev'
export const ROOT = '/home/dev/app'

export function entry(own: Partial<Entry> & { readonly when: readonly TriggerItem[] }): Entry {
  return {
    id: id<EntryId>('rules/one'),
    title: 'One',
    file: '/home/dev/rules/one.md',
    store: 'rules',
    mustKnow: false,
    forbid: false,
    read: [],
    scope: {},
    repeat: 'epoch',
    priority: 0,
    carryToStop: false,
    holdout: false,
    expires: null,
    text: 'Text.',
    hash: id<TextHash>('00'),
    obeyedWhen: [],
    violatedWhen: [],
    ...own,
  }
}

export function call(own: Partial<ToolCall> = {}): ToolCall {
  const shell = own.command !== undefined
  return {
    id: id<CallId>('call-1'),
    tool: shell ? 'shell' : 'edit',
    harnessTool: shell ? 'Bash' : 'Edit',
    cwd: ROOT,
    paths: [],
    ...own,
  }
}

const session = id<SessionId>('session-1')
const base = {
  harness: 'claude-code',
  session,
  agent: null,
  context: contextIdOf('claude-code', session, null),
  event: 'Event',
  deliveryId: null,
  turn: null,
  cwd: ROOT,
  records: null,
  at: 1_000,
} as const

type Kind = Moment extends infer M ? (M extends Moment ? Omit<M, keyof typeof base> : never) : never

export function subject(moment: Kind, own: Partial<Subject> = {}): Subject {
  return {
    // A moment is its kind's own fields and the common ones.
    moment: { ...base, ...moment } as Moment,
    project: { root: ROOT, roots: [ROOT], remotes: ['git@github.com:acme/app.git'] },
    sessionTriggers: [],
    home: HOME,
    real: (path) => path,
    at: 1_000,
    ...own,
  }
}

export function beforeTool(own: Partial<ToolCall>, rest: Partial<Subject> = {}): Subject {
  return subject({ kind: 'before-tool', call: call(own) }, rest)
}

export function afterTool(own: Partial<ToolCall>, result: Partial<ToolResult>, rest: Partial<Subject> = {}): Subject {
  return subject({ kind: 'after-tool', call: call(own), result: { state: 'ok', output: '', ...result } }, rest)
}

export function prompt(text: string, machineMade = false): Subject {
  return subject({ kind: 'prompt', text, machineMade })
}
