/** The words that are handed over: marked texts, pointers, the stub of a deny, the line for the person. */
import { isPointer, type Entry } from './entry.ts'
import type { ClaimId } from './id.ts'
import { closeMark, openMark } from './mark.ts'
import { bytesOf, clipToBytes } from './text.ts'

/** The reason of a deny is a stub of at most this many bytes, and free (law 2). */
export const STUB_BYTES = 160
/** The longest stub of a compact reason, in any unit: ASCII. */
export const COMPACT_STUB = 38
/** Titles in stubs and notices are clipped, so that the sentence around them stays whole. */
const TITLE_BYTES = 48

/** Opens each reply, so that the text is not taken for the task, nor for an order from nowhere (X4). */
export const PREFACE = 'Rules that the people of this project keep for its agents:'

/** The text of an entry as it stands between its marks. */
export function fullText(entry: Entry): string {
  if (!isPointer(entry)) return entry.text
  const files = entry.read.map((file) => `- ${file}`).join('\n')
  const order = `Read ${entry.read.length === 1 ? 'this file' : 'these files'} before you go on:\n${files}`
  return entry.text === '' ? order : `${entry.text}\n\n${order}`
}

/** A title in a mark is clipped: it is there to be recognised. */
const MARK_TITLE_BYTES = 80

/** One line instead of the text, in as few words as there are: it names the note that holds it. */
export function noteText(note: string): string {
  return `Read ${note}`
}

/** One line instead of the text: it names the file that holds it. */
export function pointerText(entry: Entry): string {
  const files = isPointer(entry) ? entry.read : [entry.file]
  return `Read before you go on: ${files.join(' and ')}`
}

/**
 * How a reply is put together. `full`: with a preface and titles. `compact`: for a reason that must fit into a few hundred characters,
 * bare marks, and a note in place of what is too long.
 */
export type Framing = 'full' | 'compact'

export function marked(claim: ClaimId, entry: Entry, text: string, framing: Framing = 'full'): string {
  return `${openMark(claim, framing === 'full' ? clipToBytes(entry.title, MARK_TITLE_BYTES) : '')}\n${text}\n${closeMark(claim)}`
}

/** Joins marked texts into one reply's text. */
export function joined(texts: readonly string[], framing: Framing = 'full'): string {
  if (texts.length === 0) return ''
  return framing === 'full' ? [PREFACE, ...texts].join('\n') : texts.join('\n')
}

/** What one more marked text costs in a reply: its own bytes, the line break above it, and the preface if it is the first. */
export function costOf(text: string, isFirst: boolean, framing: Framing = 'full'): number {
  if (isFirst && framing === 'compact') return bytesOf(text)
  return bytesOf(text) + 1 + (isFirst ? bytesOf(PREFACE) : 0)
}

function shortTitle(entry: Entry): string {
  return clipToBytes(entry.title, TITLE_BYTES)
}

/** Where the agent finds what it must follow, seen from the stub. `another`: at another call of the wave, with a stub of its own. */
export type TextPlace = 'beside' | 'below' | 'another'

const FOLLOW: Readonly<Record<TextPlace, string>> = {
  beside: 'Follow what stands beside this, then repeat this call.',
  below: 'Follow what stands below, then repeat this call.',
  another: 'It came with another call: follow it, then repeat this call.',
}

/** The wrapper of a harness calls a deny an error: say that it is a rule, what to do, and that the same call may follow (G14). */
export function stubFor(first: Entry, place: TextPlace): string {
  const title = shortTitle(first)
  if (first.forbid) return `Rule "${title}" forbids this. Do not work around it; if it seems wrong here, ask the person.`
  if (isPointer(first) && place !== 'another')
    return `Not a failure: rule "${title}" must be read first. Read the file it names, then repeat this call.`
  return `Not a failure: rule "${title}" must be known first. ${FOLLOW[place]}`
}

/** The same above the text in a reason of a few hundred characters. */
export function compactStubFor(first: Entry): string {
  return first.forbid ? 'Forbidden; do not work around it.' : 'A rule, no failure: heed it and retry.'
}

/** One line for the person, who is always stronger than a rule. */
export function noticeFor(first: Entry): string {
  if (first.forbid) return `ContextMD: rule "${shortTitle(first)}" forbids this call. To lift that: contextmd lift ${first.id}`
  return `ContextMD: rule "${shortTitle(first)}" holds this call until the agent has its text. To lift its gate: contextmd lift ${first.id}`
}
