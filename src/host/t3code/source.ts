/**
 * A database of a host as a source that may fail: what SQLite throws becomes a problem, and it is left alone for a second.
 *
 * The one place where that happens; behind it errors pass through.
 */
import type { HostClocks, HostStatus } from '../../host.ts'
import type { Problem } from '../../core/problem.ts'
import { T3Database, type Located } from './database.ts'
import type { HostRows } from './rows.ts'

/** A host's database that failed is not asked again for this long. */
const RESTS_MS = 1_000

/** A moment that comes before all was loaded helps for this long. */
const LOADS_MS = 5

export interface SourceOptions {
  readonly rows: HostRows
  /** For people: the database's path, or that it is the host's own. */
  readonly name: string
  /** Of sources in one folder the first one that joins counts: a newer build's database was made from the older one's. */
  readonly folder: string
  readonly isLive: () => boolean | null
  /** Its server ended without a word. Default: never. */
  readonly hasCrashed?: () => boolean
  readonly clocks: HostClocks
}

export class T3Source {
  readonly name: string
  readonly folder: string
  readonly isLive: () => boolean | null
  readonly hasCrashed: () => boolean
  readonly #database: T3Database
  readonly #clocks: HostClocks
  #failedAt: number | null = null
  #failure = ''

  constructor({ rows, name, folder, isLive, hasCrashed = () => false, clocks }: SourceOptions) {
    this.#database = new T3Database(rows)
    this.name = name
    this.folder = folder
    this.isLive = isLive
    this.hasCrashed = hasCrashed
    this.#clocks = clocks
  }

  locate(session: string, driver: string): Located | { readonly state: 'failing' } {
    return this.ask<Located | typeof FAILING>((database) => {
      const until = this.#clocks.mono() + LOADS_MS
      while (!database.isLoaded && this.#clocks.mono() < until) database.load()
      return database.locate(session, driver)
    }, FAILING)
  }

  /** Asks the database, or gives `otherwise` where it fails or rests. */
  ask<T>(question: (database: T3Database) => T, otherwise: T): T {
    if (this.#failedAt !== null && this.#clocks.mono() - this.#failedAt < RESTS_MS) return otherwise
    try {
      const answer = question(this.#database)
      this.#failedAt = null
      return answer
    } catch (error) {
      this.#failedAt = this.#clocks.mono()
      this.#failure = error instanceof Error ? error.message : 'unknown'
      return otherwise
    }
  }

  /** A slice of the first loading. True if there is more to do. */
  load(): boolean {
    return this.ask((database) => database.load(), false)
  }

  get isLoaded(): boolean {
    return this.#database.isLoaded
  }

  get isFailing(): boolean {
    return this.#failedAt !== null
  }

  status(): HostStatus {
    const isMapped = this.ask((database) => database.shape().state === 'mapped', false)
    const state = this.isFailing ? 'failing' : !isMapped ? 'unmapped' : this.isLoaded ? 'joining' : 'loading'
    return { name: this.name, state, isLive: this.isLive() }
  }

  problems(): readonly Problem[] {
    const shape = this.ask((database) => database.shape(), null)
    if (this.isFailing) return [failing(this.name, this.#failure)]
    if (shape === null || shape.state === 'mapped') return []
    return [unmapped(this.name, shape.missing)]
  }
}

const FAILING = { state: 'failing' } as const

function failing(name: string, failure: string): Problem {
  return {
    code: 'host_failing',
    severity: 'warning',
    message: `The database of T3 Code can't be read (${failure}): sessions that it knows go on with the run that they had, all others as plain ones.`,
    cure: 'Give your user the right to read the file; if it is locked, end the other program. It is tried again by itself.',
    file: name,
  }
}

function unmapped(name: string, missing: string): Problem {
  return {
    code: 'host_unmapped',
    severity: 'warning',
    message: `This build of T3 Code keeps its runs in a form that is not known here: ${missing} is missing. Nothing is served in its sessions.`,
    cure: 'Update T3 Code (version 2 or later), or ContextMD. To serve its sessions as plain ones, set "host": {"kind": "standalone"} in serving.json.',
    file: name,
    key: missing,
  }
}
