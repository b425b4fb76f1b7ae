/** Finding contexts: those with open claims, of a session, or seen since. */
import type { DatabaseSync } from 'node:sqlite'
import type { ContextId } from '../../core/id.ts'
import type { State } from '../../state.ts'

type Filter = Parameters<State['contexts']>[0]

/** Contexts for which all that the filter names holds. */
export function listContexts(database: DatabaseSync, filter: Filter): readonly ContextId[] {
  const conditions: string[] = []
  const values: (string | number)[] = []
  if (filter.withOpenClaims === true) conditions.push('open_claims > 0')
  if (filter.seenSince !== undefined) {
    conditions.push('seen_at >= ?')
    values.push(filter.seenSince)
  }
  if (filter.session !== undefined) {
    conditions.push('session = ?')
    values.push(filter.session)
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const rows = database.prepare(`SELECT id FROM contexts ${where} ORDER BY id`).all(...values)
  return rows.map((row) => row['id'] as ContextId) // only update writes it
}
