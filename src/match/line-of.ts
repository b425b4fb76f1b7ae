/**
 * Whether a line of a file stands in a result: what makes a read of that file more than a call that went well.
 *
 * In: the file's text; then any result, plain or numbered (`nl`, `cat -n`, a read tool, `grep -n`), whole or in part. Blank lines and
 * lines of punctuation alone prove nothing unless the file has no others. A file without text has no line in anything.
 */

/** A longer line is compared by its head: tools cut long lines. */
const COMPARED_LINE = 1_000
/** Characters looked at, at each end of a result. */
const COMPARED_RESULT = 512 * 1024
/** Letters or digits that make a line worth comparing. */
const TELLING = /[\p{L}\p{N}].*[\p{L}\p{N}].*[\p{L}\p{N}]/u
/** A line number and what tools put behind it. */
const NUMBERED = /^\d+\s*[\t→│|:\-.)]?\s*/

export function hasLineOf(fileText: string): (result: string) => boolean {
  const all = fileText
    .split('\n')
    .map(comparable)
    .filter((line) => line !== '')
  const telling = all.filter((line) => TELLING.test(line))
  const lines = new Set(telling.length > 0 ? telling : all)
  if (lines.size === 0) return () => false
  return (result) => {
    for (const part of endsOf(result)) {
      for (const line of part.split('\n')) {
        if (lines.has(comparable(line)) || lines.has(comparable(line.trimStart().replace(NUMBERED, '')))) return true
      }
    }
    return false
  }
}

const comparable = (line: string) => line.trim().slice(0, COMPARED_LINE)

function endsOf(result: string): readonly string[] {
  if (result.length <= 2 * COMPARED_RESULT) return [result]
  return [result.slice(0, COMPARED_RESULT), result.slice(-COMPARED_RESULT)]
}
