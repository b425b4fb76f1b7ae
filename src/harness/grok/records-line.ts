/**
 * One line of Grok Build's `chat_history.jsonl`, as far as it proves something. Everything else is null.
 *
 * The lines are the messages in the order in which they are sent: whatever the model wrote answers all that stands above it.
 */
import { isObject, listIn, objectIn, textIn, textsOf, type Json } from '../json.ts'

export interface RecordedCall {
  readonly id: string
  readonly name: string
  readonly input: Json
}

export type Line =
  /** Something that the model wrote. */
  | { readonly kind: 'reply'; readonly calls: readonly RecordedCall[] }
  /** The result of a call. `denied`: a hook refused it, and the text is its reason. `stopped`: it did not run for another cause. */
  | { readonly kind: 'result'; readonly call: string; readonly text: string; readonly state: 'ran' | 'denied' | 'stopped' }
  /** What a hook injected. */
  | { readonly kind: 'context'; readonly event: ContextEvent; readonly text: string }
  /** The summary of a compaction: the file was written anew, and begins a new stretch. */
  | { readonly kind: 'compaction'; readonly text: string }

export type ContextEvent = 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure' | 'Stop'

const DENIED = 'Hook denied: '
/** A rule of the harness, a person, an interruption, or a call that no tool took. */
const STOPPED =
  /^(?:Tool `[^`]*` was not executed: |User rejected the execution for tool |Tool execution was halted by the harness |Failed to parse arguments for tool )/
/** How the harness wraps what a tool's hook injects. Feedback has other words: we give none. */
const INJECTED = /^<system-reminder>\nContext from (PreToolUse|PostToolUse|PostToolUseFailure) hook '[^\n]*':\n([^]*)\n<\/system-reminder>$/

/** Parses one line. Null for a line that is broken, not known, or proves nothing. */
export function parseLine(line: string): Line | null {
  const value = parsed(line)
  if (value === null) return null
  switch (value['type']) {
    case 'assistant':
      return { kind: 'reply', calls: listIn(value['tool_calls']).flatMap(callIn) }
    case 'tool_result':
      return resultIn(value)
    case 'user':
      return userIn(value)
    default:
      return null
  }
}

function parsed(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function callIn(value: unknown): readonly RecordedCall[] {
  const { id, name, arguments: input } = objectIn(value)
  if (typeof id !== 'string' || id === '' || typeof name !== 'string') return []
  return [{ id, name, input: typeof input === 'string' ? (parsed(input) ?? {}) : objectIn(input) }]
}

function resultIn(value: Json): Line | null {
  const call = textIn(value['tool_call_id'])
  if (call === null) return null
  const text = textsOf(value['content']).join('\n')
  if (text.startsWith(DENIED)) return { kind: 'result', call, text: text.slice(DENIED.length), state: 'denied' }
  return { kind: 'result', call, text, state: STOPPED.test(text) ? 'stopped' : 'ran' }
}

/** Only what the harness itself marks as its own: a person may write anything. */
function userIn(value: Json): Line | null {
  const text = textsOf(value['content']).join('\n')
  switch (value['synthetic_reason']) {
    case 'system_reminder': {
      const [, event, injected] = INJECTED.exec(text) ?? []
      // the pattern names the three events
      return event === undefined || injected === undefined ? null : { kind: 'context', event: event as ContextEvent, text: injected }
    }
    case 'stop_hook_feedback':
      return { kind: 'context', event: 'Stop', text }
    case 'compaction_meta':
      return { kind: 'compaction', text }
    default:
      return null
  }
}
