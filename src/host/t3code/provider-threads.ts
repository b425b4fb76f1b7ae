/** The host's provider threads, one for each native conversation: by native session id, with the harness's driver. */
import { RollingTable } from './rolling-table.ts'
import { newestOf, numberIn, textIn, type HostRow, type HostRows } from './rows.ts'
import { PROVIDER_THREADS, THREAD_SESSION } from './tables.ts'

export interface ProviderThread {
  readonly id: string
  /** The app thread that it belongs to. */
  readonly thread: string | null
  readonly driver: string | null
  readonly session: string | null
}

const COLUMNS = `rowid AS at, provider_thread_id, thread_id, driver,
  CASE WHEN json_valid(payload_json) THEN json_extract(payload_json, '${THREAD_SESSION}') END AS session`
const BY_ID = `SELECT ${COLUMNS} FROM ${PROVIDER_THREADS} WHERE provider_thread_id = ?1`
const BY_IDS = `SELECT ${COLUMNS} FROM ${PROVIDER_THREADS} WHERE provider_thread_id IN (SELECT value FROM json_each(?1))`

/** Rows without a session that are read anew for one moment. A host that failed to start a harness leaves some for good. */
const MOST_BLANK = 32

export class ProviderThreads {
  readonly #rows: HostRows
  readonly #table: RollingTable
  readonly #byId: string
  readonly #byIds: string
  /** Rows that have no session yet, with their number: it is written into them later. */
  readonly #blank = new Map<string, number>()
  /** Ids of provider threads by the native session that they have or had. */
  readonly #bySession = new Map<string, Set<string>>()

  constructor(rows: HostRows, { hasDriver }: { readonly hasDriver: boolean }) {
    this.#rows = rows
    const selecting = (sql: string) => (hasDriver ? sql : sql.replace('driver', 'NULL AS driver'))
    this.#byId = selecting(BY_ID)
    this.#byIds = selecting(BY_IDS)
    const columns = selecting(COLUMNS)
    this.#table = new RollingTable(rows, { table: PROVIDER_THREADS, columns, take: (row) => this.#note(row) })
  }

  get isLoaded(): boolean {
    return this.#table.isLoaded
  }

  load(): void {
    this.#table.load()
  }

  refresh(): void {
    this.#table.refresh()
    if (this.#blank.size === 0) return
    const asked = newestOf(this.#blank, MOST_BLANK)
    for (const id of asked) this.#blank.delete(id)
    for (const row of this.#rows.all(this.#byIds, [JSON.stringify(asked)])) this.#note(row)
  }

  /** The row as it stands now. */
  byId(id: string): ProviderThread | null {
    const row = this.#rows.all(this.#byId, [id])[0]
    if (row === undefined) return null
    this.#note(row)
    return { id, thread: textIn(row, 'thread_id'), driver: textIn(row, 'driver'), session: textIn(row, 'session') }
  }

  /** Rows that have this session now. `refresh` first. */
  ofSession(session: string, driver: string): readonly ProviderThread[] {
    const found: ProviderThread[] = []
    for (const id of this.#bySession.get(session) ?? []) {
      const row = this.byId(id)
      if (row !== null && row.session === session && isOfDriver(row, driver)) found.push(row)
    }
    return found
  }

  /** True if a conversation with this session was ever seen. */
  hasSeen(session: string): boolean {
    return this.#bySession.has(session)
  }

  #note(row: HostRow): void {
    const id = textIn(row, 'provider_thread_id')
    const session = textIn(row, 'session')
    if (id === null) return
    this.#blank.delete(id)
    if (session === null) {
      this.#blank.set(id, numberIn(row, 'at'))
      return
    }
    const known = this.#bySession.get(session)
    if (known === undefined) this.#bySession.set(session, new Set([id]))
    else known.add(id)
  }
}

/** Rows of older hosts have no driver. */
export function isOfDriver({ driver }: ProviderThread, wanted: string): boolean {
  return driver === null || driver === wanted
}
