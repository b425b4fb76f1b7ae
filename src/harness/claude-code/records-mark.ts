/** Marks as they stand in the session file, with the hash of the text between them. */
import { findMarks, MARK_START } from '../../core/mark.ts'
import type { ClaimId } from '../../core/id.ts'
import { isHookDeny } from './records-line.ts'
import { sha256 } from './records-hash.ts'
import { listIn, objectIn, textsOf } from '../json.ts'

export interface StandingMark {
  readonly claim: ClaimId
  /** Hashes that the text may have had when it was handed over; none: it has no end, it was cut. */
  readonly hashes: readonly string[]
  /** The call in whose result it stands as a deny's reason; null: it stands beside, as context. */
  readonly call: string | null
}

/** The harness escapes these tags inside injected text, for the model and in its records. */
const ESCAPED = /&lt;(\/?system-reminder>)/g

export function marksIn(text: string, call: string | null): readonly StandingMark[] {
  return findMarks(text).map((found) => ({ claim: found.claim, hashes: found.text === null ? [] : hashesOf(found.text), call }))
}

function hashesOf(text: string): readonly string[] {
  const plain = text.replace(ESCAPED, '<$1')
  return plain === text ? [sha256(text)] : [sha256(text), sha256(plain)]
}

/**
 * Marks in a message as it is sent: in text blocks, and in results that are a hook's deny. Never in what the model wrote, nor in
 * results of calls that ran: a mark that a command prints proves nothing (G3).
 */
export function marksInMessage(role: string, content: unknown): readonly StandingMark[] {
  if (role === 'assistant') return []
  if (typeof content === 'string') return marksIn(content, null)
  return listIn(content).flatMap((block) => {
    const { type, text, content: result, tool_use_id: call } = objectIn(block)
    if (type === 'text' && typeof text === 'string') return marksIn(text, null)
    if (isHookDeny(block) && typeof call === 'string') return marksIn(textsOf(result).join('\n'), call)
    return []
  })
}

/** True if a line may hold a mark. Nothing in a mark's beginning is escaped in JSON. */
export function mayHoldMark(line: string): boolean {
  return line.includes(MARK_START)
}
