/**
 * One line of Claude Code's session file, as far as it proves something. Everything else is null.
 *
 * The file holds prompts, replies, results, what hooks injected, and a record of each model request.
 */
import { textIn, isObject, listIn, objectIn, textsOf, type Json } from '../json.ts'

export interface RecordedCall {
  readonly id: string
  readonly name: string
  readonly input: Json
}

export interface RecordedResult {
  readonly call: string
  /** The text that the model gets. */
  readonly text: string
  /** `denied`: it never ran, whoever refused it. */
  readonly state: 'ok' | 'failed' | 'denied'
  /** Refused by a hook before the call: the text holds its reason. */
  readonly isHookDeny: boolean
}

export type Line =
  /** Something that the model wrote. `ref`: the request that it answers, or else the reply itself; null for what the harness wrote in the model's name. */
  | { readonly kind: 'reply'; readonly ref: string | null; readonly calls: readonly RecordedCall[]; readonly cwd: string }
  | {
      readonly kind: 'user'
      readonly uuid: string
      /** The content blocks as they are sent. */
      readonly blocks: readonly unknown[]
      readonly results: readonly RecordedResult[]
      readonly at: number | null
    }
  | { readonly kind: 'context'; readonly uuid: string; readonly event: string; readonly call: string; readonly texts: readonly string[] }
  /** `isNamed`: the line says that it is ours; else it names nobody. */
  | {
      readonly kind: 'hook-failed'
      readonly event: string
      readonly call: string
      readonly cause: HookFailure
      readonly isNamed: boolean
      readonly at: number | null
    }
  /** Somebody else has an http hook in this session. */
  | { readonly kind: 'other-http-hook' }
  | { readonly kind: 'boundary'; readonly mark: string; readonly preserved: readonly string[] }
  | { readonly kind: 'request'; readonly id: string; readonly base: string | null; readonly keep: number; readonly tail: readonly string[] }
  | { readonly kind: 'message'; readonly hash: string; readonly role: string; readonly content: unknown }

type HookFailure = 'timed-out' | 'refused' | 'bad-answer' | 'cancelled'

/** How the address and the scripts of our own hooks are known among those of others. */
const OURS = 'contextmd'

/** Parses one line. Null for a line that is broken, not known, or proves nothing. */
export function parseLine(line: string): Line | null {
  const value = parsed(line)
  if (value === null) return null
  switch (value['type']) {
    case 'assistant':
      return replyIn(value)
    case 'user':
      return userIn(value)
    case 'attachment':
      return attachmentIn(value)
    case 'system':
      return boundaryIn(value)
    case 'api-request':
      return requestIn(value)
    case 'api-request-blob':
      return messageIn(value)
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

function replyIn(value: Json): Line {
  const message = objectIn(value['message'])
  const calls = listIn(message['content']).flatMap((block): RecordedCall[] => {
    const { type, id, name, input } = objectIn(block)
    return type === 'tool_use' && typeof id === 'string' && typeof name === 'string' ? [{ id, name, input: objectIn(input) }] : []
  })
  // an error of the model's server is written as if the model had said it
  const isOwn = value['isApiErrorMessage'] !== true && message['model'] !== '<synthetic>'
  // Where requests are not recorded (CLAUDE_CODE_ELEGANT_MEADOW=0) lines have no requestRef either: measured on 2.1.332. Then the id
  // of the reply, which all its lines share, stands for the request.
  const ref = textIn(value['requestRef']) ?? textIn(message['id'])
  return { kind: 'reply', ref: isOwn ? ref : null, calls, cwd: textIn(value['cwd']) ?? '/' }
}

function userIn(value: Json): Line | null {
  const { content } = objectIn(value['message'])
  // the harness sends a plain text as one block
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content)
  const results = blocks.flatMap((block) => resultIn(block, value))
  return { kind: 'user', uuid: textIn(value['uuid']) ?? '', blocks, results, at: timeOf(value) }
}

function timeOf(value: Json): number | null {
  const at = Date.parse(textIn(value['timestamp']) ?? '')
  return Number.isNaN(at) ? null : at
}

function resultIn(block: unknown, line: Json): readonly RecordedResult[] {
  const { type, tool_use_id: call, content, is_error: isError } = objectIn(block)
  if (type !== 'tool_result' || typeof call !== 'string' || call === '') return []
  const text = textsOf(content).join('\n')
  const decision = objectIn(line['permissionDecision'])
  const hasFailed = isError === true || isUnfinished(line['toolUseResult'])
  // a call that no tool took (unknown tool, bad input) failed without a decision
  const wasDenied = typeof line['toolDenialKind'] === 'string' || (hasFailed && decision['decision'] !== 'accept')
  const state = wasDenied ? 'denied' : hasFailed ? 'failed' : 'ok'
  return [{ call, text, state, isHookDeny: isHookDeny(block) }]
}

/** The result of a command that was stopped, or that goes on in the background, says nothing about its success. */
function isUnfinished(result: unknown): boolean {
  const { interrupted, backgroundTaskId } = objectIn(result)
  return interrupted === true || typeof backgroundTaskId === 'string'
}

/** A result in which the reason of a hook's deny stands, as the harness words it. */
export function isHookDeny(block: unknown): boolean {
  const { type, is_error: isError, content } = objectIn(block)
  return type === 'tool_result' && isError === true && /^PreToolUse:\S+ hook error: /.test(textsOf(content)[0] ?? '')
}

function attachmentIn(value: Json): Line | null {
  const attachment = objectIn(value['attachment'])
  const event = textIn(attachment['hookEvent'])
  const call = textIn(attachment['toolUseID'])
  if (event === null || call === null) return null
  switch (attachment['type']) {
    case 'hook_additional_context': {
      const texts = listIn(attachment['content']).filter((text) => typeof text === 'string')
      return { kind: 'context', uuid: textIn(value['uuid']) ?? '', event, call, texts }
    }
    case 'hook_success':
      return whoseHook(attachment) === 'other-http' ? { kind: 'other-http-hook' } : null
    case 'hook_cancelled':
    case 'hook_non_blocking_error': {
      const whose = whoseHook(attachment)
      if (whose === 'other-http') return { kind: 'other-http-hook' }
      return whose === 'other'
        ? null
        : { kind: 'hook-failed', event, call, cause: causeOf(attachment), isNamed: whose === 'ours', at: timeOf(value) }
    }
    default:
      return null
  }
}

/** A failed http hook is named only in the text of some errors; a closed connection, or a bad answer, names nobody. */
function whoseHook(attachment: Json): 'ours' | 'other' | 'other-http' | 'unnamed' {
  const names = [attachment['command'], attachment['stderr']].filter((text) => typeof text === 'string')
  if (names.some((name) => name.includes(OURS))) return 'ours'
  if (names.some((name) => /^(?:HTTP \d+ from )?https?:/.test(name))) return 'other-http'
  return typeof attachment['command'] === 'string' ? 'other' : 'unnamed'
}

/** An answer that came well (http status 2xx) and is no good, or no answer. */
function causeOf(attachment: Json): HookFailure {
  const { type, timedOut, exitCode: exit } = attachment
  if (type === 'hook_cancelled') return timedOut === true ? 'timed-out' : 'cancelled'
  return typeof exit === 'number' && exit >= 200 && exit < 300 ? 'bad-answer' : 'refused'
}

function boundaryIn(value: Json): Line | null {
  const mark = textIn(value['uuid'])
  if (value['subtype'] !== 'compact_boundary' || mark === null) return null
  const { uuids, allUuids } = objectIn(objectIn(value['compactMetadata'])['preservedMessages'])
  const preserved = [...listIn(uuids), ...listIn(allUuids)].filter((uuid) => typeof uuid === 'string')
  return { kind: 'boundary', mark, preserved }
}

function requestIn(value: Json): Line | null {
  const id = textIn(value['id'])
  if (id === null) return null
  const { keep } = value
  const tail = listIn(value['tail']).filter((hash) => typeof hash === 'string')
  const kept = typeof keep === 'number' && Number.isSafeInteger(keep) && keep > 0 ? keep : 0
  return { kind: 'request', id, base: textIn(value['base']), keep: kept, tail }
}

function messageIn(value: Json): Line | null {
  const hash = textIn(value['hash'])
  const { role, content } = objectIn(value['message'])
  return hash === null || typeof role !== 'string' ? null : { kind: 'message', hash, role, content }
}
