/**
 * `/regex/flags` as people write it in an entry, compiled for matching in linear time.
 *
 * Flags: `i` ignores case, `m` lets `^` and `$` match at lines, `s` lets `.` match line ends; `g` and `u` change nothing.
 */
import { RE2JS, RE2JSException } from 're2js'

export interface RegexSource {
  readonly source: string
  readonly flags: string
}

export type Regex = ReturnType<typeof RE2JS.compile>

/** What matching may spend on regexes in one moment, in characters read. */
export interface Allowance {
  /** False once it is used up: then nothing more is tried, and the moment is said to be not analysed. */
  take(characters: number): boolean
}

/** What compiling a regex costs, and starting one, as characters read: some 150 and 1 microseconds. */
const COMPILING = 15_000
const STARTING = 100

/** A regex that is compiled at its first use. What can't be compiled matches nothing: lint has told why. */
export class LazyRegex {
  readonly #source: RegexSource
  #regex: Regex | null | undefined

  constructor(source: RegexSource) {
    this.#source = source
  }

  test(text: string, allowance: Allowance): boolean {
    return this.found(text, allowance) !== null
  }

  /** The compiled regex if it matches somewhere in the text. */
  found(text: string, allowance: Allowance): Regex | null {
    if (this.#regex === undefined) {
      if (!allowance.take(COMPILING)) return null
      this.#regex = compileRegex(this.#source)
    }
    return this.#regex !== null && allowance.take(STARTING + text.length) && this.#regex.test(text) ? this.#regex : null
  }
}

const REGEX_FORM = /^\/(.+)\/([gimsu]*)$/s

/** Null if the pattern is words, a path or a command, and no regex. */
export function regexSource(pattern: string): RegexSource | null {
  const found = REGEX_FORM.exec(pattern)
  return found ? { source: found[1] ?? '', flags: found[2] ?? '' } : null
}

/** Null if it can't be compiled: then it matches nothing, and lint has told why. */
export function compileRegex({ source, flags }: RegexSource): Regex | null {
  try {
    return compileOrThrow(source, flags)
  } catch (thrown) {
    if (thrown instanceof RE2JSException) return null
    throw thrown
  }
}

/** A longer one is generated, not written: character classes of 16 KB take seconds to compile, and everything waits. */
const MAX_SOURCE = 2_000

/** Says in one sentence what is wrong with it; null if it is well formed. */
export function regexMistake({ source, flags }: RegexSource): string | null {
  if (source.length > MAX_SOURCE) return `longer than ${MAX_SOURCE} characters`
  try {
    compileOrThrow(source, flags)
    return null
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown
    if (/\(\?<?[=!]/.test(source)) return 'look-around is not supported, so that matching takes linear time'
    if (/\\[1-9]/.test(source)) return 'back references are not supported, so that matching takes linear time'
    return thrown.message.replace(/^error parsing regexp: /, '')
  }
}

function compileOrThrow(source: string, flags: string): Regex {
  let bits = 0
  if (flags.includes('i')) bits |= RE2JS.CASE_INSENSITIVE
  if (flags.includes('m')) bits |= RE2JS.MULTILINE
  if (flags.includes('s')) bits |= RE2JS.DOTALL
  return RE2JS.compile(RE2JS.translateRegExp(source), bits)
}
