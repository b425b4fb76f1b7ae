/**
 * Words, phrases and regexes over a text: a prompt, text about to be written, a result.
 *
 * Words and phrases are found at Unicode word boundaries, whatever their case, with any white space between their words. A text longer
 * than the limit is looked at in its head and its tail only.
 */
import { LazyRegex, regexSource } from './regex.ts'
import type { Allowance } from './regex.ts'
import { SHORTEST_LITERAL } from './choices.ts'
import type { Choices } from './choices.ts'
import { requiredLiterals } from './literals.ts'

/** Characters at each end of a text that are matched: errors stand at the end, headers at the beginning. */
export const TEXT_END = 64 * 1024
/** Between head and tail, so that nothing is found across the gap. */
const GAP = '\n\u0000\n'

export class Text {
  readonly raw: string
  /** True if the middle was left out. */
  readonly isCut: boolean
  #folded: string | null = null

  constructor(whole: string) {
    this.isCut = whole.length > 2 * TEXT_END
    this.raw = this.isCut ? whole.slice(0, TEXT_END) + GAP + whole.slice(-TEXT_END) : whole
  }

  get folded(): string {
    return (this.#folded ??= fold(this.raw))
  }
}

/** Lower case, decomposed, each run of white space one space. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  // Anything beyond ASCII costs two more passes; most commands and results need none.
  const even = /[\u0080-\uffff]/.test(lower) ? lower.normalize('NFD').replaceAll('ς', 'σ').replaceAll('ſ', 's') : lower
  // a copy of a text that is even already would cost more than looking
  return /[^\S ]| {2}/.test(even) ? even.replace(/\s+/g, ' ') : even
}

export interface TextPattern {
  /** Over the folded text. */
  readonly choices: Choices
  test(text: Text, allowance: Allowance): boolean
}

export function textPattern(pattern: string): TextPattern {
  const source = regexSource(pattern)
  if (source === null) return phrasePattern(pattern)
  const regex = new LazyRegex(source)
  return { choices: requiredLiterals(source.source), test: (text, allowance) => regex.test(text.raw, allowance) }
}

function phrasePattern(pattern: string): TextPattern {
  const phrase = fold(pattern.trim())
  return {
    choices: phrase.length >= SHORTEST_LITERAL ? [[phrase]] : [],
    test: (text) => phrase !== '' && hasPhrase(text.folded, phrase),
  }
}

function hasPhrase(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const end = at + phrase.length
    if (isBoundary(text, at) && isBoundary(text, end)) return true
  }
  return false
}

const WORD = /^[\p{L}\p{N}\p{M}_]$/u
/** Written without spaces between words: each character may begin one. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u

/** True if no word goes on across this place. */
function isBoundary(text: string, at: number): boolean {
  const before = charBefore(text, at)
  const after = charAt(text, at)
  return !(WORD.test(before) && WORD.test(after) && !UNSPACED.test(before) && !UNSPACED.test(after))
}

function charAt(text: string, at: number): string {
  const code = text.codePointAt(at)
  return code === undefined ? '' : String.fromCodePoint(code)
}

function charBefore(text: string, at: number): string {
  const low = text.charCodeAt(at - 1)
  return low >= 0xdc00 && low <= 0xdfff ? charAt(text, at - 2) : (text[at - 1] ?? '')
}
