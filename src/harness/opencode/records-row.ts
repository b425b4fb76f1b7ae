/**
 * One row of OpenCode's table `event`, as far as it proves something. Everything else is null.
 *
 * The table is an append-only log of each session: every state of every message and of its parts, in order.
 */
import { isObject, objectIn, textIn, type Json } from '../json.ts'
import { exitOf } from './decode-tool.ts'

export interface FinishedCall {
  readonly id: string
  readonly name: string
  readonly input: Json
  /** `error`: it failed, or was denied: they look the same. */
  readonly state: 'completed' | 'error'
  /** The text that the model gets. */
  readonly text: string
  /** It is no longer sent: the program has blanked old output. */
  readonly isBlanked: boolean
  /** Numeric exit code of a shell command; null where it is missing; undefined for other tools. */
  readonly exit: number | null | undefined
  /** When it ended, in milliseconds; null if the row does not say. */
  readonly endedAt: number | null
}

export type Row =
  | {
      readonly kind: 'message'
      readonly message: string
      readonly role: 'user' | 'assistant'
      /** The summary of a compaction. */
      readonly isSummary: boolean
      readonly isComplete: boolean
      readonly cwd: string
    }
  /** The model has begun to answer into this message. */
  | { readonly kind: 'answer'; readonly message: string }
  /** A text that the program or a plugin put into a message. */
  | { readonly kind: 'added'; readonly message: string; readonly part: string; readonly text: string }
  | { readonly kind: 'call'; readonly message: string; readonly part: string; readonly call: FinishedCall }
  /** A compaction was announced. `tail`: the first message that it keeps as it is. */
  | { readonly kind: 'compaction'; readonly message: string; readonly tail: string | null }
  | { readonly kind: 'removed'; readonly message: string; readonly part: string | null }

/** The form in which a row is taken: its type and its data. */
export function rowLine(type: string, data: string): string {
  return `{"type":${JSON.stringify(type)},"data":${data}}`
}

/** Null for a row that is broken, not known, or proves nothing. */
export function parseRow(line: string): Row | null {
  const { type, data } = objectIn(parsed(line))
  const row = objectIn(data)
  // the number behind is the version of the event's form
  switch (textIn(type)?.replace(/\.\d+$/, '')) {
    case 'message.updated':
      return messageIn(objectIn(row['info']))
    case 'message.part.updated':
      return partIn(objectIn(row['part']))
    case 'message.removed':
    case 'message.part.removed': {
      const message = textIn(row['messageID'])
      return message === null ? null : { kind: 'removed', message, part: textIn(row['partID']) }
    }
    default:
      return null
  }
}

function parsed(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    return value
  } catch {
    return null
  }
}

function messageIn(info: Json): Row | null {
  const message = textIn(info['id'])
  const { role } = info
  if (message === null || (role !== 'user' && role !== 'assistant')) return null
  const isComplete = typeof objectIn(info['time'])['completed'] === 'number' && info['error'] === undefined
  const cwd = textIn(objectIn(info['path'])['cwd']) ?? '/'
  return { kind: 'message', message, role, isSummary: info['summary'] === true, isComplete, cwd }
}

function partIn(part: Json): Row | null {
  const message = textIn(part['messageID'])
  const id = textIn(part['id'])
  if (message === null || id === null) return null
  switch (part['type']) {
    case 'step-start':
      return { kind: 'answer', message }
    case 'text': {
      const text = textIn(part['text'])
      return text === null || part['synthetic'] !== true ? null : { kind: 'added', message, part: id, text }
    }
    case 'tool': {
      const call = callIn(part)
      return call === null ? null : { kind: 'call', message, part: id, call }
    }
    case 'compaction':
      return { kind: 'compaction', message, tail: textIn(part['tail_start_id']) }
    default:
      return null
  }
}

function callIn(part: Json): FinishedCall | null {
  const id = textIn(part['callID'])
  const name = textIn(part['tool'])
  const state = objectIn(part['state'])
  const { status } = state
  if (id === null || name === null || (status !== 'completed' && status !== 'error')) return null
  const time = objectIn(state['time'])
  return {
    id,
    name,
    input: isObject(state['input']) ? state['input'] : {},
    state: status,
    text: textIn(status === 'error' ? state['error'] : state['output']) ?? '',
    isBlanked: time['compacted'] !== undefined,
    exit: exitOf(name, state['metadata']),
    endedAt: typeof time['end'] === 'number' ? time['end'] : null,
  }
}
