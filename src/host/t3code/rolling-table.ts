/**
 * What a host's table without a fitting index holds, kept in memory: loaded once in slices, newest first, then what is new and a
 * page of what is old with each refresh, round and round.
 *
 * A table smaller than a page is therefore read whole each time. In a larger one, a row that changed long after it was written is
 * seen late; whoever needs a row's latest state reads that row by its key.
 */
import type { HostRow, HostRows } from './rows.ts'
import { numberIn } from './rows.ts'

/** Old rows that are read again with each refresh: some 0.05 ms with their JSON. */
const PAGE_ROWS = 16
/** The newest rows are always read again: they change most, and a rowid at the end may be given anew. */
const OVERLAP_ROWS = 16
/** Rows of one slice of the first loading: some 3 ms. */
const SLICE_ROWS = 1_000
/** New rows that one refresh takes. More come only when a host was filled from elsewhere. */
const MOST_NEW_ROWS = 2_000

export interface RollingTableOptions {
  readonly table: string
  /** Select list, with the row's number as `at`. */
  readonly columns: string
  readonly take: (row: HostRow) => void
}

export class RollingTable {
  readonly #rows: HostRows
  readonly #take: (row: HostRow) => void
  readonly #newer: string
  readonly #older: string
  readonly #highest: string
  #high: number | null = null
  #low = Number.MAX_SAFE_INTEGER
  #isLoaded = false

  constructor(rows: HostRows, { table, columns, take }: RollingTableOptions) {
    this.#rows = rows
    this.#take = take
    const select = `SELECT ${columns} FROM ${table}`
    this.#newer = `${select} WHERE rowid > ?1 ORDER BY rowid LIMIT ?2`
    this.#older = `${select} WHERE rowid < ?1 ORDER BY rowid DESC LIMIT ?2`
    this.#highest = `SELECT max(rowid) AS at FROM ${table}`
  }

  /** Every row was read once. */
  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** What is new, and a page of what is old. */
  refresh(): void {
    const highest = numberIn(this.#rows.all(this.#highest)[0], 'at')
    if (this.#high === null) this.#high = highest
    else this.#readNew(Math.min(highest, this.#high))
    this.#readOld(PAGE_ROWS)
  }

  /** One slice of the first loading. */
  load(): void {
    if (this.#high === null) return this.refresh()
    if (!this.#isLoaded) this.#readOld(SLICE_ROWS)
  }

  #readNew(from: number): void {
    const found = this.#rows.all(this.#newer, [Math.max(0, from - OVERLAP_ROWS), MOST_NEW_ROWS])
    for (const row of found) this.#take(row)
    this.#high = found.length === 0 ? from : numberIn(found.at(-1), 'at')
  }

  #readOld(count: number): void {
    const found = this.#rows.all(this.#older, [this.#low, count])
    for (const row of found) this.#take(row)
    if (found.length < count) {
      this.#isLoaded = true
      this.#low = Number.MAX_SAFE_INTEGER
    } else this.#low = numberIn(found.at(-1), 'at')
  }
}
