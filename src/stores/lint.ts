/** Everything that a person should know about the stores, in the order of their files. */
import type { Entry } from '../core/entry.ts'
import type { Millis } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import type { OpenStores } from './open.ts'

/** Problems and notes of all stores in force, and entries whose time is over. */
export function lint(stores: OpenStores, now: Millis, projectRoot?: string): readonly Problem[] {
  const view = stores.current(projectRoot)
  const expired = view.entries.flatMap((entry) => expiredEntry(entry, now))
  return [...view.problems, ...stores.notes(), ...expired].sort(byPlace)
}

/** One info, or none. */
export function expiredEntry(entry: Entry, now: Millis): readonly Problem[] {
  if (entry.expires === null || entry.expires > now) return []
  const message = 'the entry has expired and is not served'
  const cure = 'remove the entry, or move the date'
  return [{ code: 'entry_expired', severity: 'info', message, cure, file: entry.file, key: 'expires' }]
}

export function byPlace(a: Problem, b: Problem): number {
  return compare(a.file ?? '', b.file ?? '') || (a.line ?? 0) - (b.line ?? 0) || compare(a.code, b.code)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
