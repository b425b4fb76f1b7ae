/**
 * The log of one session in OpenCode's database, read from where the last reading ended, in slices.
 *
 * Opened for each reading, only to read, and closed after it: the program writes on undisturbed (it keeps a write-ahead log).
 */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { Watch } from '../../core/watch.ts'
import type { RecordsSource, Scan } from '../../harness.ts'
import { rowLine } from './records-row.ts'

/** Rows taken in one go: a few milliseconds of the event loop, unless they hold large results. */
const SLICE_ROWS = 64
/** A slice ends after so much text as well. */
const SLICE_CHARS = 512 * 1024
/** The database is busy only while the program opens it: then the next look reads on. */
const BUSY_MS = 20
const SQLITE_BUSY = 5

const ROWS = `SELECT seq, type, data FROM event WHERE aggregate_id = ? AND seq > ? AND type LIKE 'message.%' ORDER BY seq LIMIT ${SLICE_ROWS}`

export class SessionLog implements RecordsSource {
  readonly scan: Scan
  readonly #file: string
  readonly #session: string
  #seq = -1

  constructor(file: string, session: string, scan: Scan) {
    this.#file = file
    this.#session = session
    this.scan = scan
  }

  async readOn(_: number, watch: () => Watch, isStopped: () => boolean): Promise<'end' | 'missing' | 'stopped'> {
    if (!isFile(this.#file)) return 'missing'
    let database: DatabaseSync | null = null
    try {
      database = new DatabaseSync(this.#file, { readOnly: true, timeout: BUSY_MS })
      const statement = database.prepare(ROWS)
      for (;;) {
        if (isStopped()) return 'stopped'
        const wanted = watch()
        let chars = 0
        let rows = 0
        for (const { seq, type, data } of statement.iterate(this.#session, this.#seq)) {
          rows += 1
          if (typeof seq === 'number') this.#seq = seq
          if (typeof type !== 'string' || typeof data !== 'string') continue
          this.scan.take(rowLine(type, data), wanted)
          chars += data.length
          if (chars > SLICE_CHARS) break
        }
        if (rows === 0) return 'end'
        await setImmediate()
      }
    } catch (error) {
      return isBusy(error) ? 'stopped' : 'missing'
    } finally {
      database?.close()
    }
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}
