/** SHA-256 of a text, in hex. */
import { hash } from 'node:crypto'
import { id, type TextHash } from '../core/id.ts'

export function hashOf(text: string): TextHash {
  return id<TextHash>(hash('sha256', text))
}
