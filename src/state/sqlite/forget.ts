/** Deleting all that belongs to one thread, a slice at a time, so that no moment waits long behind it. */
import type { DatabaseSync } from 'node:sqlite'
import type { HarnessName, ThreadId } from '../../core/id.ts'
import { FORGOTTEN_TO } from './statements.ts'

/** Rows that one call touches: some 5 ms. */
const SLICE_ROWS = 80

/**
 * True if there is more to do. Contexts go first, so that no open claim is left without its row, and the thread's own row last, so
 * that what a broken-off forgetting left is found again.
 */
export function forget(database: DatabaseSync, thread: ThreadId): boolean {
  const sessions = new Set<string>()
  const addSessions = (sql: string): void => {
    for (const row of database.prepare(sql).all(thread)) sessions.add(String(row['session']))
  }
  addSessions('SELECT session FROM threads WHERE thread = ?')
  addSessions(`SELECT DISTINCT session FROM (SELECT session FROM moments WHERE thread = ? ORDER BY number LIMIT ${SLICE_ROWS})`)

  const slice = new Slice(database)
  for (const session of sessions) {
    for (const context of slice.column('SELECT id FROM contexts WHERE session = ?', session)) slice.context(context)
    // moments from before the session was joined to its thread
    slice.moments('SELECT number, context FROM moments WHERE thread IS NULL AND session = ? LIMIT ?', session)
    // and from when it was a plain terminal's
    for (const harness of HARNESSES) {
      slice.moments('SELECT number, context FROM moments WHERE thread = ? ORDER BY number LIMIT ?', `${harness}/${session}`)
    }
  }
  slice.moments('SELECT number, context FROM moments WHERE thread = ? ORDER BY number LIMIT ?', thread)
  if (slice.left > 0) slice.run('DELETE FROM threads WHERE session IN (SELECT session FROM threads WHERE thread = ? LIMIT ?)', thread)
  return slice.left <= 0
}

/** Names that a plain terminal's thread begins with. */
const HARNESSES: readonly HarnessName[] = ['claude-code', 'codex', 'grok', 'opencode']

class Slice {
  left = SLICE_ROWS
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  column(sql: string, value: string): readonly string[] {
    return this.#database
      .prepare(`${sql} LIMIT ?`)
      .all(value, Math.max(0, this.left))
      .map((row) => String(Object.values(row)[0]))
  }

  /** Deletes at most what is left of the slice. */
  run(sql: string, ...values: (string | number)[]): void {
    if (this.left > 0) this.left -= Number(this.#database.prepare(sql).run(...values, this.left).changes)
  }

  /** The context, and what no moment leads to: gates that lifted between moments, obedience. */
  context(context: string): void {
    this.run('DELETE FROM contexts WHERE id IN (SELECT id FROM contexts WHERE id = ? LIMIT ?)', context)
    this.#besides(context)
  }

  #besides(context: string): void {
    this.run('DELETE FROM gates WHERE number IN (SELECT number FROM gates WHERE context = ? LIMIT ?)', context)
    this.run('DELETE FROM obedience WHERE number IN (SELECT number FROM obedience WHERE context = ? LIMIT ?)', context)
  }

  /** `sql` selects number and context of moments. A moment goes last, after its candidates. */
  moments(sql: string, value: string): void {
    if (this.left <= 0) return
    const rows = this.#database.prepare(sql).all(value, this.left)
    for (const context of new Set(rows.map((row) => String(row['context'])))) this.#besides(context)
    let highest = 0
    for (const row of rows) {
      const number = Number(row['number'])
      this.run(DELETE_CANDIDATES, number)
      if (this.left <= 0) break
      this.run('DELETE FROM moments WHERE number IN (SELECT number FROM moments WHERE number = ? LIMIT ?)', number)
      highest = Math.max(highest, number)
    }
    this.#database.prepare(KEEP_HIGHEST).run(FORGOTTEN_TO, String(highest))
  }
}

const DELETE_CANDIDATES = `
  DELETE FROM candidates WHERE (moment, position) IN (SELECT moment, position FROM candidates WHERE moment = ? LIMIT ?)`
const KEEP_HIGHEST = `
  INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
  WHERE CAST(excluded.value AS INTEGER) > CAST(value AS INTEGER)`
