/**
 * The one way into a host's database: SELECT and PRAGMA, synchronous.
 *
 * Beside a host it is a read-only handle of our own (`database-file.ts`); inside, the mount gives the host's own handle.
 */

export type HostRow = Readonly<Record<string, unknown>>

export interface HostRows {
  /** Rows of one statement with parameters `?1`, `?2`, … Throws what SQLite throws. */
  all(sql: string, params?: readonly (string | number | null)[]): readonly HostRow[]
}

/** The text in a column; null for anything else. */
export function textIn(row: HostRow | undefined, column: string): string | null {
  const value = row?.[column]
  return typeof value === 'string' ? value : null
}

/** The number in a column; 0 for anything else. */
export function numberIn(row: HostRow | undefined, column: string): number {
  const value = row?.[column]
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : 0
}

/** Keys with the highest numbers, at most so many. */
export function newestOf(numbers: ReadonlyMap<string, number>, most: number): readonly string[] {
  if (numbers.size <= most) return [...numbers.keys()]
  const newest = [...numbers].toSorted(([, a], [, b]) => b - a).slice(0, most)
  return newest.map(([key]) => key)
}
