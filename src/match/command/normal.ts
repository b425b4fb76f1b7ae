/**
 * The normalised form of a simple command: basename of the program and its words with single spaces, wrappers taken away.
 *
 * A word with spaces or characters of the shell stands in quotes. Where such text stands is told too: a pattern that begins inside
 * it has found a mention, not a use.
 */
import type { SimpleCommand } from './parse.ts'

export interface Normal {
  readonly text: string
  /** Start and end of each word that holds white space: quoted text. */
  readonly quoted: readonly (readonly [start: number, end: number])[]
  /** The command only prints or searches for its words: a pattern must begin with the program itself. */
  readonly onlyMentions: boolean
}

/** Their words are text to print, to look for or to look up. */
const MENTIONING: ReadonlySet<string> = new Set(
  'echo printf grep egrep fgrep zgrep rg ag ack man which whereis type apropos alias tldr'.split(' '),
)

/** Drawn without quotes. */
export const SAFE_WORD = /^[^\s'"\\;&|<>()`]+$/

export function normalise(command: SimpleCommand): Normal {
  let text = command.program ?? command.name.shown
  const quoted: [number, number][] = []
  for (const { shown } of command.words) {
    const start = text.length + 1
    text += ` ${SAFE_WORD.test(shown) ? shown : inQuotes(shown)}`
    if (/\s/.test(shown)) quoted.push([start, text.length])
  }
  return { text, quoted, onlyMentions: command.program !== null && MENTIONING.has(command.program) }
}

function inQuotes(word: string): string {
  const quote = word.includes('"') && !word.includes("'") ? "'" : '"'
  return quote + word + quote
}
