/**
 * Numbered parameters (`?1`, `?2`) as anonymous ones: Node's SQLite binds numbered ones by position only since 22.19, and hosts run from
 * 22.16 ("column index out of range" on 22.16.0 and 22.18.0).
 */

type Value = string | number | null

interface Positional {
  readonly sql: string
  /** For each `?`, which parameter it takes. */
  readonly order: readonly number[]
}

/** The statements are constants of ours, so there are few. */
const known = new Map<string, Positional>()

/** No text in the statement may hold a `?` before a digit. */
export function positional(sql: string, params: readonly Value[]): { readonly sql: string; readonly params: readonly Value[] } {
  let found = known.get(sql)
  if (found === undefined) {
    const order: number[] = []
    const anonymous = sql.replaceAll(/\?(\d+)/g, (_, number: string) => {
      order.push(Number(number) - 1)
      return '?'
    })
    found = { sql: anonymous, order }
    known.set(sql, found)
  }
  return { sql: found.sql, params: found.order.map((index) => params[index] ?? null) }
}
