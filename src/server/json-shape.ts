/**
 * How deep and how wide a JSON text is, before it is parsed: one of 8 MB that is nothing but brackets takes seconds to parse, and all
 * other calls wait meanwhile.
 */

export interface Bounds {
  /** Levels of nesting. */
  readonly depth: number
  /** Values in all. */
  readonly values: number
  /** Keys of objects behind their first ones: each new name costs more than ten values. */
  readonly keys: number
}

/** Real events have some ten levels, a tool of a third party a few more; a patch of 100,000 lines has as many values. So much is parsed in some 50 ms. */
const BOUNDS: Bounds = { depth: 256, values: 400_000, keys: 30_000 }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** False beyond these bounds. What is no JSON at all may be either: the parser tells. */
export function isWithinShape(bytes: Buffer, bounds = BOUNDS): boolean {
  const isObject = new Uint8Array(bounds.depth + 1)
  let depth = 0
  let values = 1
  let keys = 0
  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfText(bytes, at)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        values += 1
        if (++depth > bounds.depth) return false
        isObject[depth] = bytes[at] === OPEN_OBJECT ? 1 : 0
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1
        break
      case COMMA:
        values += 1
        keys += isObject[depth] ?? 0
        break
      default:
    }
    if (values > bounds.values || keys > bounds.keys) return false
  }
  return true
}

/** Where the text that begins here ends: its closing quote, or the end of all where it has none. */
function endOfText(bytes: Buffer, from: number): number {
  const first = bytes.indexOf(QUOTE, from + 1)
  if (first === -1) return bytes.length
  if (bytes[first - 1] !== BACKSLASH) return first
  // looking for each of very many quotes takes longer than going through all bytes
  for (let at = from + 1; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1
    else if (bytes[at] === QUOTE) return at
  }
  return bytes.length
}
