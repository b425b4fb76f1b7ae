/**
 * The one look at the log for all who follow it: what is new and what was completed is read once, however many they are.
 *
 * It rests between two looks, so that followers cost a moment next to nothing; what comes meanwhile is read in one go. Whoever is too
 * slow to take the news while they are kept reads the log by themselves.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { OpenedEngine } from '../engine/logbook.ts'
import type { LoggedMoment } from '../state.ts'
import { newBell } from './bell.ts'

/** From a moment to the look that finds it. The upkeep puts rows into their tables after half of it, which the look need not do then. */
const LOOK_EVERY_MS = 200
/** Rows read from the log at once: some 10 ms, with a turn of the event loop in the middle. */
export const BATCH_ROWS = 200
/** Between two batches moments come first. */
export const BETWEEN_MS = 10
/** News that are kept for those who have not taken them yet: 1 to 2 MB. */
const MOST_KEPT = 1_000

/** A row that is new, or was completed. */
export interface News {
  readonly row: LoggedMoment
  /** The same as JSON: written once for all. */
  readonly json: string
}

/** Of one server. Looks while somebody follows. */
export class LogFeed {
  readonly #engine: OpenedEngine
  #looks: Looks | null = null

  constructor(engine: OpenedEngine) {
    this.#engine = engine
  }

  /** `wake` is called when there are news, or when there will be none any more. Call `leave` with it at the end. */
  join(wake: () => void): Looks {
    if (this.#looks === null || this.#looks.hasEnded) this.#looks = new Looks(this.#engine)
    this.#looks.add(wake)
    return this.#looks
  }
}

export class Looks {
  readonly #engine: OpenedEngine
  readonly #bell = newBell()
  readonly #wakes = new Set<() => void>()
  /** Rows up to this number were read. */
  #last: number
  /** Where to go on with completed rows. */
  #completed: number | null = null
  #news: News[] = []
  #count = 0
  #file: string | null
  /** How often the log began anew, in another file: its numbers are others then. */
  times = 0
  #failure: { readonly error: unknown } | null = null
  #turns: Promise<void> = Promise.resolve()
  hasEnded = false

  constructor(engine: OpenedEngine) {
    this.#engine = engine
    this.#last = newestNumber(engine)
    this.#file = engine.logbook.file()
    void this.#go()
  }

  add(wake: () => void): void {
    this.#wakes.add(wake)
  }

  /** The last one who leaves ends it. */
  leave(wake: () => void): void {
    this.#wakes.delete(wake)
    if (this.#wakes.size > 0) return
    this.hasEnded = true
    this.#bell.ring()
  }

  /** How much news there was so far: what comes from now on is asked for by it. */
  get count(): number {
    return this.#count
  }

  /** At most a batch. Null: so much came that some of it is kept no more. Throws why the log can not be read any more. */
  since(count: number): readonly News[] | null {
    if (this.#failure !== null) throw this.#failure.error
    const behind = this.#count - count
    if (behind > this.#news.length) return null
    const from = this.#news.length - behind
    return this.#news.slice(from, from + BATCH_ROWS)
  }

  /** Resolves in a turn of the event loop of one's own: many who take the same news hold up no moment together. */
  turn(): Promise<void> {
    this.#turns = this.#turns.then(
      () =>
        new Promise((resolve) => {
          setImmediate(resolve)
        }),
    )
    return this.#turns
  }

  async #go(): Promise<void> {
    const stopListening = this.#engine.onLog(this.#bell.ring)
    try {
      this.#completed = (await this.#engine.logbook.completed(null)).next
      while (!this.hasEnded) {
        await this.#bell.rung()
        if (!this.hasEnded) await pause(LOOK_EVERY_MS, undefined, { ref: false })
        while (!this.hasEnded && (await this.#look())) await pause(BETWEEN_MS, undefined, { ref: false })
      }
    } catch (error) {
      this.#failure = { error }
      this.hasEnded = true
      this.#wakeAll()
    } finally {
      stopListening()
    }
  }

  /** True if there is more to read at once. */
  async #look(): Promise<boolean> {
    const { logbook } = this.#engine
    if (this.#hasBegunAnew()) {
      this.#last = 0
      this.#news = []
      this.times += 1
      this.#wakeAll()
    }
    const { rows: completed, next } = await logbook.completed(this.#completed)
    const rows = await logbook.log({ after: this.#last, limit: BATCH_ROWS })
    // one that is new as well was read with its verdict
    const earlier = completed.filter(({ number }) => number <= this.#last)
    this.#completed = next
    this.#last = rows.at(-1)?.number ?? this.#last
    for (const row of [...earlier, ...rows]) this.#tell(row)
    if (earlier.length + rows.length > 0) this.#wakeAll()
    return rows.length === BATCH_ROWS
  }

  /** A file that was only opened anew holds all that was told. */
  #hasBegunAnew(): boolean {
    const file = this.#engine.logbook.file()
    if (file === null || file === this.#file) return false
    this.#file = file
    return newestNumber(this.#engine) < this.#last
  }

  #tell(row: LoggedMoment): void {
    this.#count += 1
    this.#news.push({ row, json: JSON.stringify(row) })
    if (this.#news.length >= 2 * MOST_KEPT) this.#news = this.#news.slice(-MOST_KEPT)
  }

  #wakeAll(): void {
    for (const wake of this.#wakes) wake()
  }
}

/** The end of the whole log. */
export function newestNumber(engine: OpenedEngine): number {
  return engine.log({ newest: true, limit: 1 })[0]?.number ?? 0
}
