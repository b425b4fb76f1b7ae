/**
 * Turns a glob into a regex that matches in linear time.
 *
 * Not left to picomatch: its regexes backtrack, and a glob with a few `**` on a long path takes seconds. Known here: `*`, `**`, `?`, `[abc]`,
 * `{a,b}`, `{1..9}`, `@(a|b)`, `?(a)`, `*(a)`, `+(a)`, `\` before a special character. Round brackets alone and what is not closed stand
 * for themselves, as in `app/(group)/page.tsx`. Files whose names begin with a dot are matched like others.
 */

/** Largest range of numbers that is spelled out. */
const MAX_RANGE = 100
const MAX_DEPTH = 16

export type GlobRegex = { readonly ok: true; readonly source: string } | { readonly ok: false; readonly why: string }

export function globRegex(glob: string): GlobRegex {
  if (/!\(/.test(glob)) return { ok: false, why: 'a group with `!(…)` is not supported; take paths away with a glob that begins with `!`' }
  return { ok: true, source: `^(?:${translate(glob, 0)})$` }
}

function translate(glob: string, depth: number): string {
  let out = ''
  for (let at = 0; at < glob.length;) {
    const [source, length] = piece(glob, at, depth)
    out += source
    at += length
  }
  return out
}

/** What stands at this place, as regex, and its length in the glob. */
function piece(glob: string, at: number, depth: number): readonly [source: string, length: number] {
  const rest = glob.slice(at)
  const startsSegment = at === 0 || glob[at - 1] === '/'
  if (startsSegment && rest.startsWith('**/')) return ['(?:.*/)?', 3]
  if (startsSegment && rest === '**') return ['.*', 2]
  if (rest === '/**') return ['(?:/.*)?', 3]
  const char = glob[at] ?? ''
  if (char === '\\' && at + 1 < glob.length) return [escape(glob[at + 1] ?? ''), 2]
  if ('@?*+'.includes(char) && glob[at + 1] === '(') return group(glob, at, depth)
  if (char === '*') {
    const stars = /^\*+/.exec(rest)?.[0].length ?? 1
    const isWhole = startsSegment && (at + stars === glob.length || glob[at + stars] === '/')
    return [isWhole ? '[^/]+' : '[^/]*', stars]
  }
  if (char === '?') return ['[^/]', 1]
  if (char === '[') return charClass(rest)
  if (char === '{') return braces(glob, at, depth)
  return [escape(char), 1]
}

function group(glob: string, at: number, depth: number): readonly [string, number] {
  const end = closing(glob, at + 1, '(', ')')
  if (end < 0 || depth >= MAX_DEPTH) return [glob[at] === '*' ? '[^/]*' : glob[at] === '?' ? '[^/]' : escape(glob[at] ?? ''), 1]
  const choices = split(glob.slice(at + 2, end), '|').map((choice) => translate(choice, depth + 1))
  const times = glob[at] === '@' ? '' : glob[at]
  return [`(?:${choices.join('|')})${times}`, end + 1 - at]
}

function braces(glob: string, at: number, depth: number): readonly [string, number] {
  const end = closing(glob, at, '{', '}')
  if (end < 0 || depth >= MAX_DEPTH) return ['\\{', 1]
  const inner = glob.slice(at + 1, end)
  const length = end + 1 - at
  const range = /^(\d{1,6})\.\.(\d{1,6})$/.exec(inner)
  if (range) {
    const [low, high] = [Number(range[1]), Number(range[2])].toSorted((a, b) => a - b)
    if (low !== undefined && high !== undefined && high - low <= MAX_RANGE) {
      return [`(?:${Array.from({ length: high - low + 1 }, (_, step) => String(low + step)).join('|')})`, length]
    }
  }
  const choices = split(inner, ',')
  if (choices.length < 2) return ['\\{', 1]
  // `**` at the edge of a choice has its meaning of a whole segment there.
  return [`(?:${choices.map((choice) => translate(choice, depth + 1)).join('|')})`, length]
}

function charClass(rest: string): readonly [string, number] {
  const found = /^\[([!^]?)(\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]/.exec(rest)
  if (!found || !found[2] || found[2].includes('/')) return ['\\[', 1]
  const inner = found[2].replaceAll(/\[:\w+:\]|\\.|[[\]\\^&~]/g, (text) => (text.length > 1 ? text : `\\${text}`))
  return [found[1] ? `[^/${inner}]` : `[${inner}]`, found[0].length]
}

/** Index of the bracket that closes the one at `from`; -1 if none does. */
function closing(glob: string, from: number, open: string, close: string): number {
  let depth = 0
  for (let at = from; at < glob.length; at += 1) {
    if (glob[at] === '\\') at += 1
    else if (glob[at] === open) depth += 1
    else if (glob[at] === close && --depth === 0) return at
  }
  return -1
}

function split(text: string, separator: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? ''
    if (char === '\\') at += 1
    else if ('{('.includes(char)) depth += 1
    else if ('})'.includes(char)) depth -= 1
    else if (char === separator && depth === 0) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, text.slice(start)]
}

function escape(char: string): string {
  return /[\\^$.*+?()[\]{}|]/.test(char) ? `\\${char}` : char
}
