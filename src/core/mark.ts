/**
 * Marks: what names each text that is handed over, so that it can be found again in the records of a harness.
 *
 *     [ContextMD k3f9x2.1 Commit messages]
 *     Use Conventional Commits.
 *     [/ContextMD k3f9x2.1]
 *
 * Both sides use this file: the one that writes a text and the ones that look for it.
 */
import { id, type ClaimId } from './id.ts'

/** Every opening mark begins like this; a text without it needs no closer look. */
export const MARK_START = '[ContextMD '

/** More than any conversation's message holds. Beyond it the rest is not looked at: each mark costs a search for its end. */
const MAX_MARKS = 1_000

const OPEN = /\[ContextMD ([A-Za-z0-9_-]+\.\d+)(?: [^\]\n]*)?\]\n/g

export interface FoundMark {
  readonly claim: ClaimId
  /** What stands between the opening and the closing mark; null if there is no closing one: the text was cut. */
  readonly text: string | null
}

/** The line above a text. Of the title, line breaks and brackets are left out: they would end the mark. */
export function openMark(claim: ClaimId, title: string): string {
  const plain = title.replace(/[\][\s]+/g, ' ').trim()
  return plain === '' ? `[ContextMD ${claim}]` : `[ContextMD ${claim} ${plain}]`
}

/** The line below a text. */
export function closeMark(claim: ClaimId): string {
  return `[/ContextMD ${claim}]`
}

/** The delivery's part of a claim's id: all claims of one reply share it. */
export function deliveryMarkOf(claim: ClaimId): string {
  return claim.slice(0, claim.lastIndexOf('.'))
}

/** Every opening mark in a text, in order, with what stands up to its closing mark. */
export function findMarks(text: string): readonly FoundMark[] {
  if (!text.includes(MARK_START)) return []
  const found: FoundMark[] = []
  for (const match of text.matchAll(OPEN)) {
    if (found.length === MAX_MARKS) break
    const claim = id<ClaimId>(match[1] ?? '')
    const start = match.index + match[0].length
    const end = text.indexOf(`\n${closeMark(claim)}`, start)
    found.push({ claim, text: end === -1 ? null : text.slice(start, end) })
  }
  return found
}
