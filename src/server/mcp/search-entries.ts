/** Entries by words of their title, id and text: the ones that hold most of the words first. */
import { setImmediate } from 'node:timers/promises'
import type { Entry } from '../../core/entry.ts'
import { clipToBytes } from '../../core/text.ts'

const MOST_FOUND = 10
const MOST_WORDS = 16
/** Of an entry's text in the list. */
const SUMMARY_BYTES = 160
/** Entries that are looked through in one turn of the event loop: a few milliseconds, so that no moment waits behind a search. */
const SLICE = 250

/** What a word counts for, by where it stands. */
const WEIGHTS = { title: 4, id: 3, text: 1 } as const

interface Found {
  readonly entry: Entry
  readonly score: number
}

/** A list for the agent, one entry a line. */
export async function searchEntries(entries: readonly Entry[], query: string): Promise<string> {
  const words = wordsOf(query)
  const found: Found[] = []
  for (let at = 0; at < entries.length; at += SLICE) {
    if (at > 0) await setImmediate()
    for (const entry of entries.slice(at, at + SLICE)) {
      const score = words.length === 0 ? 1 : scoreOf(entry, words)
      if (score > 0) found.push({ entry, score })
    }
  }
  if (found.length === 0) return entries.length === 0 ? 'There are no rules here.' : 'No rule holds one of these words.'
  const best = found.toSorted((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? -1 : 1)).slice(0, MOST_FOUND)
  const more = found.length - best.length
  return [...best.map(({ entry }) => lineOf(entry)), ...(more === 0 ? [] : [`${more} more; search for other words to see them.`])].join(
    '\n',
  )
}

function wordsOf(query: string): readonly string[] {
  return [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])].slice(0, MOST_WORDS)
}

/** Words that are found count first, where they stand second. */
function scoreOf({ id, title, text }: Entry, words: readonly string[]): number {
  const places = { title: title.toLowerCase(), id: id.toLowerCase(), text: text.toLowerCase() }
  let score = 0
  for (const word of words) {
    const weight = (['title', 'id', 'text'] as const).reduce((sum, place) => sum + (places[place].includes(word) ? WEIGHTS[place] : 0), 0)
    if (weight > 0) score += 10 + weight
  }
  return score
}

function lineOf({ id, title, text }: Entry): string {
  const summary = text.replaceAll(/\s+/g, ' ').trim()
  return `${id}: ${title}${summary === '' ? '' : `. ${clipToBytes(summary, SUMMARY_BYTES)}`}`
}
