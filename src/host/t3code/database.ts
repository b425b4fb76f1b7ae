/**
 * One database of a host: where a native session stands in it.
 *
 * Every answer is made of rows as they stand now. Whatever SQLite throws goes to the caller.
 */
import { Attempts, type Attempt, type Running } from './attempts.ts'
import { isOfDriver, ProviderThreads } from './provider-threads.ts'
import { textIn, type HostRows } from './rows.ts'
import { checkShape, schemaVersion, type Shape } from './self-check.ts'
import { RUNS, SUBAGENTS } from './tables.ts'

export type Located =
  | { readonly state: 'joined'; readonly attempt: Attempt }
  | { readonly state: 'ambiguous' }
  /** Recorded, without a running attempt. */
  | { readonly state: 'known' }
  | { readonly state: 'unknown' }
  /** The session is this host's, and its rows can't be read as ours. */
  | { readonly state: 'unmapped' }

/** A subagent of a subagent of …: deeper than any harness goes. */
const MOST_LEVELS = 8

export class T3Database {
  readonly rows: HostRows
  #schema = -1
  #shape: Shape | null = null
  #attempts: Attempts | null = null
  #threads: ProviderThreads | null = null
  /** Sessions that attempts carried. */
  #carried = new Set<string>()

  constructor(rows: HostRows) {
    this.rows = rows
  }

  /** What the database holds, looked at again whenever its schema changed, and until rows have shown where the session stands. */
  shape(): Shape {
    const version = schemaVersion(this.rows)
    const known = this.#shape
    if (known !== null && version === this.#schema && known.state === 'mapped' && known.isShown) return known
    const shape = checkShape(this.rows)
    if (known === null || version !== this.#schema || known.state !== shape.state) this.#open(shape)
    this.#schema = version
    this.#shape = shape
    return shape
  }

  /** A slice of the first loading. True if there is more to do. */
  load(): boolean {
    this.shape()
    for (const table of [this.#attempts, this.#threads]) {
      if (table === null || table.isLoaded) continue
      table.load()
      return true
    }
    return false
  }

  get isLoaded(): boolean {
    return this.#shape !== null && (this.#attempts?.isLoaded ?? true) && (this.#threads?.isLoaded ?? true)
  }

  locate(session: string, driver: string): Located {
    const shape = this.shape()
    if (shape.state === 'unmapped') return { state: this.#recognises(session, shape) ? 'unmapped' : 'unknown' }
    const { own, bare } = this.#attempts?.running(session) ?? NONE
    this.#threads?.refresh()
    const found = own.filter((attempt) => this.#isOfDriver(attempt, driver))
    if (found.length === 0) found.push(...bare().filter((attempt) => this.#isOfThread(attempt, session, driver)))
    if (found.length === 0) found.push(...this.#ofParent(session, driver))
    const [first, ...others] = found
    if (first !== undefined) {
      const isOne = others.every(({ attempt }) => attempt === first.attempt)
      return isOne ? { state: 'joined', attempt: first } : { state: 'ambiguous' }
    }
    // what is not yet loaded may hold it
    const isKnown = this.#carried.has(session) || this.#threads?.hasSeen(session) === true || !this.isLoaded
    return { state: isKnown ? 'known' : 'unknown' }
  }

  /** True between two attempts of a run: the older one is superseded, the newer one does not run yet. */
  isBetween(run: string, thread: string): boolean {
    return this.shape().state === 'mapped' && this.#attempts?.isBetween(run, thread) === true
  }

  /** Runs of a thread that were taken back. */
  rolledBack(thread: string): readonly string[] {
    if (!this.shape().has.runs) return []
    const sql = `SELECT run_id FROM ${RUNS} WHERE thread_id = ?1 AND status = 'rolled_back'`
    return this.rows.all(sql, [thread]).flatMap((row) => textIn(row, 'run_id') ?? [])
  }

  /** Threads of a thread's subagents, theirs included; the thread itself comes first. */
  family(thread: string): readonly string[] {
    const found = [thread]
    if (!this.shape().has.subagents) return found
    const sql = `SELECT DISTINCT child_thread_id FROM ${SUBAGENTS} WHERE thread_id = ?1 AND child_thread_id IS NOT NULL`
    for (let level = 0, from = 0; level < MOST_LEVELS && from < found.length; level += 1) {
      const parents = found.slice(from)
      from = found.length
      for (const parent of parents) {
        for (const row of this.rows.all(sql, [parent])) {
          const child = textIn(row, 'child_thread_id')
          if (child !== null && !found.includes(child)) found.push(child)
        }
      }
    }
    return found
  }

  #open(shape: Shape): void {
    this.#carried = new Set()
    const { has } = shape
    const seen = (session: string) => void this.#carried.add(session)
    this.#attempts = shape.state === 'mapped' ? new Attempts(this.rows, { hasIndex: has.index, seen }) : null
    this.#threads = shape.state === 'mapped' && has.providerThreads ? new ProviderThreads(this.rows, { hasDriver: has.driver }) : null
  }

  /** A provider thread that was bound to another session since still has its driver; an attempt without one is taken. */
  #isOfDriver({ providerThread }: Attempt, driver: string): boolean {
    const thread = providerThread === null ? null : this.#threads?.byId(providerThread)
    return thread === null || thread === undefined || isOfDriver(thread, driver)
  }

  #isOfThread({ providerThread }: Attempt, session: string, driver: string): boolean {
    const thread = providerThread === null ? null : this.#threads?.byId(providerThread)
    return thread !== null && thread !== undefined && thread.session === session && isOfDriver(thread, driver)
  }

  /** A subagent with a session of its own works in its parent's run: session, provider thread, subagent, run, attempt. */
  #ofParent(session: string, driver: string): readonly Attempt[] {
    if (!this.shape().has.subagents) return []
    const runs = new Set<string>()
    for (const { id, thread } of this.#threads?.ofSession(session, driver) ?? []) {
      for (const run of this.#runsAbove(id, thread)) runs.add(run)
    }
    return [...runs].flatMap((run) => this.#attempts?.runningOf(run) ?? [])
  }

  /** Each thread on the way is asked for once, however often it was delegated to. */
  #runsAbove(providerThread: string, thread: string | null): ReadonlySet<string> {
    const byThread = `SELECT DISTINCT run_id, thread_id FROM ${SUBAGENTS} WHERE child_thread_id = ?1`
    let rows = this.rows.all(`SELECT DISTINCT run_id, thread_id FROM ${SUBAGENTS} WHERE provider_thread_id = ?1`, [providerThread])
    if (rows.length === 0 && thread !== null) rows = this.rows.all(byThread, [thread])
    const runs = new Set<string>()
    const seen = new Set<string>()
    for (let level = 0; level < MOST_LEVELS && rows.length > 0; level += 1) {
      const parents = new Set<string>()
      for (const row of rows) {
        const run = textIn(row, 'run_id')
        // a subagent's thread has no runs of its own
        const parent = run === null ? textIn(row, 'thread_id') : null
        if (run !== null) runs.add(run)
        if (parent !== null && !seen.has(parent)) parents.add(parent)
      }
      for (const parent of parents) seen.add(parent)
      rows = [...parents].flatMap((parent) => this.rows.all(byThread, [parent]))
    }
    return runs
  }

  /** True where what can be read shows the session as this host's: as a value in a JSON that sessions stand in. */
  #recognises(session: string, { has }: Shape): boolean {
    return has.sessionJson.some(([table, column]) => {
      const sql = `
        SELECT 1 FROM (SELECT ${column} AS json FROM ${table} ORDER BY rowid DESC LIMIT ${MOST_RECOGNISED_ROWS}) AS kept,
          json_tree(CASE WHEN json_valid(kept.json) THEN kept.json ELSE 'null' END) AS part
        WHERE instr(kept.json, ?1) > 0 AND part.atom = ?1 LIMIT 1`
      return this.rows.all(sql, [session]).length > 0
    })
  }
}

/** Newest rows that are searched for a session where the host can't be mapped: some 5 ms. */
const MOST_RECOGNISED_ROWS = 1_000

const NONE: Running = { own: [], bare: () => [] }
