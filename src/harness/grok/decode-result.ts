/**
 * The result of a call, as PostToolUse tells it. It comes after every call that ran, also when it ended badly: each kind of result
 * says in its own way whether it did.
 */
import type { ToolResult } from '../../core/moment.ts'
import { isObject, listIn, objectIn, textIn, type Json } from '../json.ts'
import { partialObject } from './partial-json.ts'

/** The exit code stands in front of what the command printed. */
const EXIT_LINE = /^exit: -?\d+\r?\n/

export function resultOf(result: unknown): ToolResult {
  if (typeof result === 'string') return cutResult(result)
  if (!isObject(result)) return { state: 'unknown', output: '' }
  switch (result['type']) {
    case 'Bash':
      return shellResult(result)
    case 'GrepSearch':
      return searchResult(result)
    case 'ReadFile':
      return variant(result, 'FileContent', ['raw_output', 'content'])
    case 'SearchReplace':
      return variant(result, 'EditsApplied', ['tool_output_for_prompt'])
    case 'ListDir':
      return variant(result, 'Content', ['content'])
    case 'MCP':
      return variant(objectIn(result['output']), 'OkayOutput', [])
    case 'SubagentCompleted':
      return { state: 'ok', output: textIn(result['output']) ?? '' }
    default:
      // a command that goes on in the background, and what newer versions bring: nothing is known of its success
      return { state: 'unknown', output: textIn(result['output']) ?? JSON.stringify(result) }
  }
}

/** Of a failure the harness tells one text. A person's interruption is no failure of the call. */
export function failureOf(event: Json): ToolResult {
  return { state: event['isInterrupt'] === true ? 'unknown' : 'failed', output: textIn(event['error']) ?? '' }
}

function shellResult(result: Json): ToolResult {
  const shown = textIn(result['output_for_prompt'])
  const output = shown === null ? textOfBytes(result['output']) : shown.replace(EXIT_LINE, '')
  const exitCode = result['exit_code']
  // R8: a code that is missing is none
  if (typeof exitCode === 'number') return { state: exitCode === 0 ? 'ok' : 'failed', exitCode, output }
  return { state: result['timed_out'] === true || typeof result['signal'] === 'number' ? 'failed' : 'unknown', output }
}

/** Nothing found ends with 1: no failure. */
function searchResult(result: Json): ToolResult {
  const exitCode = result['exit_code']
  const output = textOfBytes(result['stdout'])
  if (typeof exitCode !== 'number') return { state: 'unknown', output }
  return { state: exitCode <= 1 ? 'ok' : 'failed', exitCode, output }
}

/** A result that is one of several named variants, one of which is success. */
function variant(result: Json, success: string, texts: readonly string[]): ToolResult {
  const good = result[success]
  if (good !== undefined) {
    const inside = objectIn(good)
    const told = texts.map((key) => inside[key]).find((text) => typeof text === 'string')
    return { state: 'ok', output: typeof good === 'string' ? good : typeof told === 'string' ? told : JSON.stringify(good) }
  }
  const [bad] = Object.entries(result).flatMap(([key, value]) => (key === 'type' ? [] : [value]))
  return { state: bad === undefined ? 'unknown' : 'failed', output: typeof bad === 'string' ? bad : JSON.stringify(bad ?? {}) }
}

/** The harness writes raw output as a list of byte values. */
function textOfBytes(bytes: unknown): string {
  return Buffer.from(listIn(bytes).filter((byte) => typeof byte === 'number')).toString('utf8')
}

/** Over 128 KiB: the beginning of the result's JSON. What it says of success stands at its end, so that is not known. */
function cutResult(text: string): ToolResult {
  const bytes = /^\{"type":"\w+","(?:output|stdout)":\[([\d,]*)/.exec(text)?.[1]
  if (bytes !== undefined) return { state: 'unknown', output: Buffer.from(bytes.split(',').map(Number)).toString('utf8') }
  const told = Object.entries(partialObject(text)).flatMap(([key, value]) => (key !== 'type' && typeof value === 'string' ? [value] : []))
  return { state: 'unknown', output: told[0] ?? text }
}
