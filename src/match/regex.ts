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

/** Says in one sentence what is wrong with it; null if it is well formed. */
export function regexMistake({ source, flags }: RegexSource): string | null {
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
