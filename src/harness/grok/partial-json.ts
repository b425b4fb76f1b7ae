/**
 * What can be read of a JSON object that was cut off: the harness posts a tool's input as a text once it is over 128 KiB, cut there,
 * with a word behind it that says so.
 *
 * A cut text still tells its beginning: a command or a path that a rule is about must not slip by for being long (M9).
 */
import type { Json } from '../json.ts'

const CUT = / \[truncated\]$/
const MEMBER = /\s*"((?:[^"\\]|\\.)*)"\s*:\s*/y
const STRING = /"((?:[^"\\]|\\.)*)("?)/y
/** Anything that is no string and holds no other value. */
const PLAIN = /(?:true|false|null|-?\d[\d.eE+-]*)/y
const NEXT = /\s*,/y

/** The leading members of the object that are strings or plain values; the last string may lack its end. Never throws. */
export function partialObject(text: string): Json {
  const json = text.replace(CUT, '')
  const found: Record<string, unknown> = {}
  let at = json.indexOf('{') + 1
  if (at === 0) return found
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(json)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  for (;;) {
    const name = take(MEMBER)?.[1]
    if (name === undefined) return found
    const value = take(STRING)
    if (value !== null) found[name] = unescaped(value[1] ?? '')
    else if (take(PLAIN) === null) return found
    if (value?.[2] === '' || take(NEXT) === null) return found
  }
}

/** The text of a JSON string whose end may be missing, in the middle of an escape too. */
function unescaped(raw: string): string {
  try {
    const text: unknown = JSON.parse(`"${raw.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, '')}"`)
    return typeof text === 'string' ? text : raw
  } catch {
    // a raw line break or the like: near enough to match on
    return raw
  }
}
