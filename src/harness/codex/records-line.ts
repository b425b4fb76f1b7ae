/**
 * One line of a Codex rollout file, as far as it proves something. Everything else is null.
 *
 * What the model sees has a running number (`history_sequence`); what the model wrote names the highest number that its request held
 * (`sampled_through_sequence`). Held in every request that was recorded on 0.171.0.
 */
import { fileURLToPath } from 'node:url'
import { fileOfEntryRead, READ_ENTRY } from '../../match/entry-read.ts'
import { isObject, listIn, objectIn, textIn, textsOf, type Json } from './json.ts'

export type Line =
  /** Something that the model wrote, in answer to a request that held everything up to and with this number. */
  | { readonly kind: 'reply'; readonly through: number }
  /** What hooks put beside a moment. Which hook and which moment is not said. */
  | { readonly kind: 'context'; readonly item: Item; readonly texts: readonly string[] }
  /** What a call gave back to the model; in code mode what a whole script gave back. */
  | { readonly kind: 'output'; readonly item: Item; readonly call: string; readonly texts: readonly string[] }
  /** A call ran to its end. Its id is the one that hooks are given, in code mode too. */
  | { readonly kind: 'ran'; readonly call: string; readonly did: Deed; readonly at: number | null }
  | { readonly kind: 'compacted'; readonly mark: string; readonly kept: readonly string[] }
  /** The file goes on where another session's file stops: a fork. */
  | { readonly kind: 'forked'; readonly from: string; readonly before: number }

/** Something in the history that the model is sent. */
export interface Item {
  readonly id: string
  /** Its running number. */
  readonly at: number
}

export type Deed =
  | { readonly type: 'command'; readonly command: string; readonly cwd: string; readonly exitCode: number | null }
  /** Files that were written whole: a patch that adds them. */
  | { readonly type: 'change'; readonly added: readonly string[] }
  /** Our own tool gave an entry's text. */
  | { readonly type: 'entry'; readonly file: string }
  | { readonly type: 'other' }

/** How every line begins. Lines of other types are up to 100 KB long and prove nothing: they are not parsed. */
const HEAD = /^\{"timestamp":\s?"[^"]*",\s?"ordinal":\s?\d+,\s?"type":\s?"(\w+)"/
const TELLING: ReadonlySet<string> = new Set(['response_item', 'event_msg', 'compacted', 'session_meta'])

/** Parses one line. Null for a line that is broken, not known, or proves nothing. */
export function parseLine(text: string): Line | null {
  const type = HEAD.exec(text)?.[1]
  if (type !== undefined && !TELLING.has(type)) return null
  const line = parsed(text)
  if (line === null) return null
  const payload = objectIn(line['payload'])
  switch (line['type']) {
    case 'response_item':
      return itemIn(payload, objectIn(line['metadata']))
    case 'event_msg':
      return ranIn(payload, line)
    case 'compacted':
      return compactedIn(payload, line)
    case 'session_meta':
      return forkedIn(payload)
    default:
      return null
  }
}

/** The running number of the line itself, over all lines of a file and of what it was forked from; null if it has none. */
export function ordinalOf(text: string): number | null {
  const digits = /^\{"timestamp":\s?"[^"]*",\s?"ordinal":\s?(\d{1,15})/.exec(text)?.[1]
  return digits === undefined ? null : Number(digits)
}

function parsed(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function itemIn(payload: Json, { history_sequence: at, sampled_through_sequence: through }: Json): Line | null {
  const type = textIn(payload['type'])
  if (type === null) return null
  if (isOfModel(type, payload['role'])) return isNumber(through) ? { kind: 'reply', through } : null
  if (!isNumber(at)) return null
  const item: Item = { id: textIn(payload['id']) ?? '', at }
  if (type === 'message') return isHookContext(payload) ? { kind: 'context', item, texts: textsOf(payload['content']) } : null
  const call = textIn(payload['call_id'])
  if (!type.endsWith('_output') || call === null) return null
  return { kind: 'output', item, call, texts: textsOf(payload['output']) }
}

/** Calls, texts and thoughts. What the harness writes beside them names the same request, and is no answer. */
function isOfModel(type: string, role: unknown): boolean {
  if (type === 'message') return role === 'assistant'
  return type === 'reasoning' || type.endsWith('_call')
}

/** A developer message that hooks made: nobody who types or prints a text makes one. */
function isHookContext(payload: Json): boolean {
  if (payload['role'] !== 'developer') return false
  const told = objectIn(payload['internal_chat_message_metadata_passthrough'])
  return listIn(told['content_item_kinds']).includes('hooks.additional_context')
}

function ranIn(payload: Json, line: Json): Line | null {
  if (payload['type'] !== 'item_completed') return null
  const item = objectIn(payload['item'])
  const call = textIn(item['id'])
  const did = deedIn(item)
  const at = Date.parse(textIn(line['timestamp']) ?? '')
  return call === null || did === null ? null : { kind: 'ran', call, did, at: Number.isNaN(at) ? null : at }
}

function deedIn(item: Json): Deed | null {
  switch (item['type']) {
    case 'CommandExecution': {
      const { exit_code: exitCode } = item
      const command = listIn(item['command']).at(-1)
      return {
        type: 'command',
        command: typeof command === 'string' ? command : '',
        cwd: folderIn(item['cwd']),
        exitCode: isNumber(exitCode) ? exitCode : null,
      }
    }
    case 'FileChange': {
      const isDone = item['status'] === 'completed'
      const changes = isDone ? Object.entries(objectIn(item['changes'])) : []
      return { type: 'change', added: changes.flatMap(([path, change]) => (objectIn(change)['type'] === 'add' ? [path] : [])) }
    }
    case 'McpToolCall':
      return entryReadIn(item) ?? { type: 'other' }
    case 'CollabAgentToolCall':
    case 'SubAgentActivity':
      return { type: 'other' }
    default:
      return null
  }
}

function entryReadIn({ tool, status, result }: Json): Deed | null {
  const { content, isError } = objectIn(result)
  if (tool !== READ_ENTRY || status !== 'completed' || isError === true) return null
  const file = fileOfEntryRead(textsOf(content).join('\n'))
  return file === null ? null : { type: 'entry', file }
}

/** The folder stands there as an address. */
function folderIn(value: unknown): string {
  if (typeof value !== 'string') return '/'
  try {
    return value.startsWith('file:') ? fileURLToPath(value) : value
  } catch {
    return '/'
  }
}

function compactedIn(payload: Json, line: Json): Line {
  const kept = listIn(payload['replacement_history']).flatMap((item) => textIn(objectIn(item)['id']) ?? [])
  return { kind: 'compacted', mark: textIn(payload['window_id']) ?? `at ${String(line['timestamp'])}`, kept }
}

function forkedIn(payload: Json): Line | null {
  const from = textIn(payload['forked_from_id'])
  const before = payload['forked_from_ordinal_exclusive']
  return from !== null && isNumber(before) ? { kind: 'forked', from, before } : null
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}
