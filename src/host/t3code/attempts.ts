/**
 * The host's running attempts, without a scan over all attempts for each moment: by the partial index where the database has one,
 * else from a mirror of the open ones, each read anew by its key before it counts.
 */
import { RollingTable } from './rolling-table.ts'
import { newestOf, numberIn, textIn, type HostRow, type HostRows } from './rows.ts'
import { ATTEMPT_SESSION_SQL } from './running-index.ts'
import { ATTEMPTS, OPEN_ATTEMPT } from './tables.ts'

export interface Attempt {
  readonly attempt: string
  readonly run: string
  readonly thread: string
  readonly providerThread: string | null
  /** The native session that it was started with; null on older hosts. */
  readonly session: string | null
}

/** Attempts that run now, whatever their harness. */
export interface Running {
  /** Those that carry the session asked for. */
  readonly own: readonly Attempt[]
  /** Reads those that carry none. */
  readonly bare: () => readonly Attempt[]
}

const COLUMNS = `rowid AS at, attempt_id, run_id, thread_id, provider_thread_id, status,
  ${ATTEMPT_SESSION_SQL} AS session`
const RUNNING_OF_SESSION = `
  SELECT ${COLUMNS} FROM ${ATTEMPTS} WHERE status = 'running' AND ${ATTEMPT_SESSION_SQL} = ?1`
const RUNNING_WITHOUT_SESSION = `
  SELECT ${COLUMNS} FROM ${ATTEMPTS} WHERE status = 'running' AND ${ATTEMPT_SESSION_SQL} IS NULL`
const BY_IDS = `SELECT ${COLUMNS} FROM ${ATTEMPTS} WHERE attempt_id IN (SELECT value FROM json_each(?1))`
const RUNNING_OF_RUN = `SELECT ${COLUMNS} FROM ${ATTEMPTS} WHERE run_id = ?1 AND status = 'running'`
const LATEST_OF_RUN = `SELECT status FROM ${ATTEMPTS} WHERE run_id = ?1 AND thread_id = ?2 ORDER BY attempt_ordinal DESC LIMIT 1`

/** Open attempts that are read anew for one moment. Those that a host left open when it crashed are among them. */
const MOST_OPEN = 200

export class Attempts {
  readonly #rows: HostRows
  readonly #table: RollingTable
  readonly #hasIndex: boolean
  /** Open attempts with the number of their row: the newest have the highest. */
  readonly #open = new Map<string, number>()

  /** `seen` is told every native session that an attempt of any state carries. */
  constructor(rows: HostRows, { hasIndex, seen }: { readonly hasIndex: boolean; readonly seen: (session: string) => void }) {
    this.#rows = rows
    this.#hasIndex = hasIndex
    this.#table = new RollingTable(rows, {
      table: ATTEMPTS,
      columns: COLUMNS,
      take: (row) => {
        const session = textIn(row, 'session')
        if (session !== null) seen(session)
        this.#note(row)
      },
    })
  }

  get isLoaded(): boolean {
    return this.#table.isLoaded
  }

  load(): void {
    this.#table.load()
  }

  /** Running attempts that carry the session themselves, and, once asked for, those that carry none, as on older hosts. */
  running(session: string): Running {
    this.#table.refresh()
    if (this.#hasIndex) {
      return {
        own: this.#rows.all(RUNNING_OF_SESSION, [session]).flatMap(attemptIn),
        bare: () => this.#rows.all(RUNNING_WITHOUT_SESSION).flatMap(attemptIn),
      }
    }
    const running = this.#readOpen()
    return { own: running.filter((one) => one.session === session), bare: () => running.filter((one) => one.session === null) }
  }

  runningOf(run: string): readonly Attempt[] {
    return this.#rows.all(RUNNING_OF_RUN, [run]).flatMap(attemptIn)
  }

  /** The latest attempt of the run is to start, or its successor is: the gap of a restart. */
  isBetween(run: string, thread: string): boolean {
    const status = textIn(this.#rows.all(LATEST_OF_RUN, [run, thread])[0], 'status')
    return status === 'pending' || status === 'superseded'
  }

  #note(row: HostRow): void {
    const attempt = textIn(row, 'attempt_id')
    if (attempt === null) return
    this.#open.delete(attempt)
    if (!OPEN_ATTEMPT.has(textIn(row, 'status') ?? '')) return
    this.#open.set(attempt, numberIn(row, 'at'))
  }

  #readOpen(): readonly Attempt[] {
    if (this.#open.size === 0) return []
    const asked = newestOf(this.#open, MOST_OPEN)
    const rows = this.#rows.all(BY_IDS, [JSON.stringify(asked)])
    for (const attempt of asked) this.#open.delete(attempt)
    for (const row of rows) this.#note(row)
    return rows.flatMap((row) => (textIn(row, 'status') === 'running' ? attemptIn(row) : []))
  }
}

function attemptIn(row: HostRow): readonly Attempt[] {
  const attempt = textIn(row, 'attempt_id')
  const run = textIn(row, 'run_id')
  const thread = textIn(row, 'thread_id')
  if (attempt === null || run === null || thread === null) return []
  return [{ attempt, run, thread, providerThread: textIn(row, 'provider_thread_id'), session: textIn(row, 'session') }]
}
