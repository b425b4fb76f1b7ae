/** SHA-256 of a text, in hex. */
import { createHash } from 'node:crypto'
import { id, type TextHash } from '../core/id.ts'

export function hashOf(text: string): TextHash {
  return id<TextHash>(createHash('sha256').update(text).digest('hex'))
}
