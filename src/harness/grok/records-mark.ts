/** Marks as they stand in the history, with the hashes that the text between them may have had when it was handed over. */
import { createHash } from 'node:crypto'
import type { ClaimId } from '../../core/id.ts'
import { findMarks } from '../../core/mark.ts'

export interface StandingMark {
  readonly claim: ClaimId
  /** None: it has no end, it was cut. */
  readonly hashes: readonly string[]
}

/** The harness puts a backslash into these tags inside an injected text, for the model and in its records. */
const ESCAPED = /<\\(\/?system-reminder>)/g

export function marksIn(text: string): readonly StandingMark[] {
  return findMarks(text).map((found) => ({ claim: found.claim, hashes: found.text === null ? [] : hashesOf(found.text) }))
}

function hashesOf(text: string): readonly string[] {
  const plain = text.replace(ESCAPED, '<$1')
  return plain === text ? [sha256(text)] : [sha256(text), sha256(plain)]
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
