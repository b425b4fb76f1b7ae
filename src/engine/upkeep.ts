/** What the state needs now and then: lately committed rows put away, old ones deleted in slices, its log written back. */
import type { Millis } from '../core/id.ts'
import type { Retention, State } from '../state.ts'

/** After a moment its rows wait this long for others: what is put away together costs less. */
const PUT_AWAY_AFTER_MS = 100
const PRUNE_EVERY_MS = 60 * 1_000
/** Written back when no moment came for this long. */
const IDLE_MS = 3_000
/** And after this many slices of put-away rows of a server that is never idle: up to 4,000 pages of the write-ahead file, where the state is large. */
const BUSY_SLICES = 8
/** Write-backs in a row that were overtaken by new commits before SQLite is made to do it in this thread: some 300 MB of log at most. */
const MOST_OVERTAKEN = 20
/** Slices of deleted rows before they are written back: as much. Else SQLite does it by itself within a slice, which takes long. */
const PRUNED_SLICES = 40
/** Between two slices, about as long as one: moments come first. */
const PRUNE_PAUSE_MS = 5

export interface UpkeepOptions {
  readonly state: State
  readonly now: () => Millis
  readonly retention: (now: Millis) => Retention
  readonly lastMomentAt: () => Millis
  /** Moves what was committed into the main file, elsewhere; true if nothing is left. */
  readonly checkpoint: () => Promise<boolean>
  readonly onError: (error: unknown) => void
}

/** Returns the way to stop. */
export function startUpkeep(options: UpkeepOptions): () => void {
  const upkeep = new Upkeep(options)
  return () => upkeep.stop()
}

class Upkeep {
  readonly #options: UpkeepOptions
  readonly #timers: readonly NodeJS.Timeout[]
  readonly #stopListening: () => void
  #puttingAway: NodeJS.Timeout | null = null
  #isWritten = false
  #slices = 0
  #overtaken = 0
  #checkpointing: Promise<boolean> | null = null
  #isPruning = false
  #isStopped = false

  constructor(options: UpkeepOptions) {
    this.#options = options
    this.#stopListening = options.state.onLog(() => this.#written())
    this.#timers = [
      setInterval(() => void this.#prune().catch(options.onError), PRUNE_EVERY_MS).unref(),
      setInterval(() => void this.#writeBack().catch(options.onError), IDLE_MS).unref(),
    ]
  }

  stop(): void {
    this.#isStopped = true
    this.#stopListening()
    for (const timer of this.#timers) clearInterval(timer)
    if (this.#puttingAway !== null) clearTimeout(this.#puttingAway)
  }

  #written(): void {
    this.#isWritten = true
    this.#puttingAway ??= setTimeout(() => this.#putAway(), PUT_AWAY_AFTER_MS).unref()
  }

  /** A slice at a time, with a turn of the event loop between; while the log is written back what is committed waits in its one row. */
  #putAway(): void {
    this.#puttingAway = null
    if (this.#checkpointing !== null) {
      this.#puttingAway = setTimeout(() => this.#putAway(), PUT_AWAY_AFTER_MS).unref()
      return
    }
    this.#guarded(() => {
      this.#slices += 1
      if (this.#options.state.putAway()) this.#puttingAway ??= setTimeout(() => this.#putAway(), 0).unref()
    })
    if (this.#slices >= BUSY_SLICES) void this.#writeBack().catch(this.#options.onError)
  }

  async #prune(): Promise<void> {
    if (this.#isPruning) return
    this.#isPruning = true
    try {
      const { state, now, retention } = this.#options
      for (let slice = 1; !this.#isStopped && state.prune(retention(now())); slice += 1) {
        this.#isWritten = true
        await (slice % PRUNED_SLICES === 0 ? this.#checkpoint() : pause())
        // one that a busy server began
        await this.#checkpointing
      }
    } finally {
      this.#isPruning = false
    }
  }

  async #writeBack(): Promise<void> {
    if (this.#checkpointing !== null || !this.#isWritten || !(this.#isIdle() || this.#slices >= BUSY_SLICES)) return
    const isDone = await this.#checkpoint()
    if (isDone && !this.#isStopped && this.#isIdle()) this.#guarded(() => this.#options.state.checkpoint())
  }

  /** One at a time. True if nothing is left to be moved. */
  #checkpoint(): Promise<boolean> {
    return (this.#checkpointing ??= this.#checkpointElsewhere().finally(() => (this.#checkpointing = null)))
  }

  async #checkpointElsewhere(): Promise<boolean> {
    this.#isWritten = false
    this.#slices = 0
    const isDone = await this.#options.checkpoint()
    this.#isWritten ||= !isDone
    this.#overtaken = isDone ? 0 : this.#overtaken + 1
    if (this.#overtaken < MOST_OVERTAKEN) return isDone
    this.#overtaken = 0
    this.#guarded(() => this.#options.state.checkpoint())
    return true
  }

  #isIdle(): boolean {
    return this.#options.now() - this.#options.lastMomentAt() >= IDLE_MS
  }

  #guarded(work: () => void): void {
    try {
      if (!this.#isStopped) work()
    } catch (error) {
      this.#options.onError(error)
    }
  }
}

/** Lets what came meanwhile go first. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PRUNE_PAUSE_MS).unref()
  })
}
