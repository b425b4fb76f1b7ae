/**
 * Bounds on a command line, so that a hostile one costs milliseconds. What is beyond them is said to be not analysed.
 *
 * Measured with the parser in use: 32 KB of the worst input found costs about 50 ms, almost all of it for substitutions within
 * substitutions, which are parsed again at each level.
 */

/** Characters of a whole command line. */
const MAX_LINE = 2 * 1024 * 1024
/** Characters of a command line without the bodies of quoted heredocs, which cost next to nothing and hold whole files. */
const MAX_CODE = 32 * 1024
/** Levels of brackets of any kind that are open at once. */
const MAX_OPEN = 256
/** Heredocs that begin on one line: the parser's cost grows with their square. */
const MAX_HEREDOCS_A_LINE = 32
/** Simple commands that are looked at. */
export const MAX_COMMANDS = 1_000
/** Nodes of the tree that are looked at. */
export const MAX_NODES = 20_000
/** Scripts within scripts: substitutions, `sh -c`, `eval`. */
export const MAX_SCRIPT_DEPTH = 16
/** Wrappers around one command: `sudo env nice …`. */
export const MAX_WRAPPERS = 12
/** Words that the braces of one word may stand for. */
export const MAX_BRACE_WORDS = 64

/** Why a command line is not parsed at all: a fixed text; null if it may be. Linear in its length. */
export function beyondBounds(line: string): string | null {
  if (line.length > MAX_LINE) return 'the command is too long'
  const code = withoutQuotedHeredocs(line)
  if (code.length > MAX_CODE) return 'the command is too long'
  let open = 0
  let heredocs = 0
  for (let at = 0; at < code.length; at += 1) {
    const char = code.charCodeAt(at)
    if (char === 0x28 || char === 0x7b) open += 1
    else if ((char === 0x29 || char === 0x7d) && open > 0) open -= 1
    else if (char === 0x0a) heredocs = 0
    else if (char === 0x3c && code.charCodeAt(at + 1) === 0x3c) heredocs += 1
    if (open > MAX_OPEN || heredocs > MAX_HEREDOCS_A_LINE) return 'the command is nested too deeply'
  }
  return null
}

const QUOTED_HEREDOC = /<<-?[ \t]*(?:'([^'\n]{1,64})'|"([^"\n]{1,64})"|\\(\w{1,64}))/

function withoutQuotedHeredocs(line: string): string {
  if (line.length <= MAX_CODE || !QUOTED_HEREDOC.test(line)) return line
  const kept: string[] = []
  for (let at = 0; at < line.length;) {
    const end = endOfLine(line, at)
    const text = line.slice(at, end)
    kept.push(text)
    const found = QUOTED_HEREDOC.exec(text)
    const delimiter = found?.[1] ?? found?.[2] ?? found?.[3]
    at = delimiter === undefined ? end : behindHeredoc(line, end, delimiter)
  }
  return kept.join('')
}

/** Index of the line that only holds the delimiter, or the end of the text. */
function behindHeredoc(line: string, from: number, delimiter: string): number {
  for (let at = line.indexOf(delimiter, from); at >= 0; at = line.indexOf(delimiter, at + 1)) {
    const start = line.lastIndexOf('\n', at) + 1
    if (line.slice(start, endOfLine(line, at)).trim() === delimiter) return start
  }
  return line.length
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 ? text.length : at + 1
}
