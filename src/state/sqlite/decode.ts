/** Rows that hold JSON, as the types that `update` wrote. Null for what other hands made of them. */
import type { SQLOutputValue } from 'node:sqlite'
import type { ContextState } from '../../core/context.ts'
import type { ThreadState } from '../../host.ts'

export function contextFrom(text: SQLOutputValue | undefined): ContextState | null {
  const found = objectFrom(text)
  // only update writes it, as it was given; the claims tell it from another object
  return found !== null && 'claims' in found && Array.isArray(found.claims) ? (found as ContextState) : null
}

export function threadFrom(text: SQLOutputValue | undefined): ThreadState | null {
  const found = objectFrom(text)
  return found !== null && 'phase' in found ? (found as ThreadState) : null // as above
}

function objectFrom(text: SQLOutputValue | undefined): object | null {
  try {
    const value: unknown = JSON.parse(String(text))
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
