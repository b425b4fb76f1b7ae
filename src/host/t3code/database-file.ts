/**
 * A host's database file, read beside the host: read only, opened when first asked, opened anew when another file stands in its place.
 *
 * A host keeps its database in WAL mode: readers do not hold it up. Where no `-wal` stands beside the file nobody has it open; then it
 * is read as immutable, since any other way would make SQLite create files in the host's folder.
 */
import { openSync, readSync, closeSync, statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { positional } from './parameters.ts'
import type { HostRow, HostRows } from './rows.ts'

/** Milliseconds that a question waits for a lock: a checkpoint at most. */
const BUSY_MS = 5

interface Opened {
  readonly stamp: string
  readonly database: DatabaseSync
  readonly statements: Map<string, StatementSync>
}

export class DatabaseFile implements HostRows {
  readonly path: string
  #opened: Opened | null = null

  constructor(path: string) {
    this.path = path
  }

  /** Opens the file that stands there now, if it is another one than before. True if it took another's place. Throws if there is none. */
  follow(): boolean {
    const stamp = stampOf(this.path)
    const before = this.#opened?.stamp
    if (before === stamp) return false
    this.close()
    this.#opened = { stamp, database: openReadOnly(this.path), statements: new Map() }
    return before !== undefined
  }

  all(sql: string, params: readonly (string | number | null)[] = []): readonly HostRow[] {
    if (this.#opened === null) this.follow()
    const opened = this.#opened
    if (opened === null) return []
    const asked = positional(sql, params)
    let statement = opened.statements.get(sql)
    if (statement === undefined) {
      statement = opened.database.prepare(asked.sql)
      opened.statements.set(sql, statement)
    }
    return statement.all(...asked.params)
  }

  close(): void {
    const opened = this.#opened
    this.#opened = null
    if (opened?.database.isOpen === true) opened.database.close()
  }
}

/** Names the file itself, and whether somebody has it open. A file that nobody has open changes only when it is written. */
function stampOf(path: string): string {
  const { dev, ino, mtimeMs, size } = statSync(path)
  return isIdle(path) ? `${dev} ${ino} ${mtimeMs} ${size}` : `${dev} ${ino}`
}

function openReadOnly(path: string): DatabaseSync {
  if (!isIdle(path) || !isWal(path)) return new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS })
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}

function isIdle(path: string): boolean {
  return statSync(`${path}-wal`, { throwIfNoEntry: false }) === undefined
}

/** Byte 18 of the head is 2 in WAL mode (sqlite.org/fileformat2.html, section 1.3). */
function isWal(path: string): boolean {
  const head = Buffer.alloc(19)
  const file = openSync(path, 'r')
  try {
    readSync(file, head, 0, head.length, 0)
  } finally {
    closeSync(file)
  }
  return head[18] === 2
}
