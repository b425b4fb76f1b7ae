/**
 * Turns of the event loop: moments that wait for the same turn are decided one after the other and committed together, so that a wave
 * of calls looks at the disk once and waits for one commit.
 */

/** A wave, with room to spare. More wait for the turn after, so that the event loop comes by in between. */
const MOST_A_TURN = 64
/** A turn that takes longer ends with the moment at hand: where very many entries match, or sessions are new, few of them make a turn. */
const TURN_MS = 15

interface Commit {
  readonly done: Promise<void>
  readonly settle: () => void
  readonly fail: (error: unknown) => void
}

export class Turns {
  readonly #gather: () => () => void
  readonly #waiting: (() => void)[] = []
  #commit: Commit | null = null
  #isDue = false
  #number = 0
  readonly #memories = new Set<{ clear(): void }>()

  readonly #mono: () => number

  /** `gather` begins what is to be committed together, and gives the way to commit it. `mono`: monotonic milliseconds. */
  constructor(gather: () => () => void, mono: () => number = () => performance.now()) {
    this.#gather = gather
    this.#mono = mono
  }

  /** Of the turn that is on; 0 between two. */
  get number(): number {
    return this.#commit === null ? 0 : this.#number
  }

  /** Resolves in the next turn. What is written from then on, up to the next wait for something outside, belongs to the turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#runSoon()
    })
  }

  /** Resolves once what was written in this turn is committed. Rejects if it could not be: then nothing of the turn was. */
  committed(): Promise<void> {
    return this.#commit?.done ?? Promise.resolve()
  }

  /**
   * A way to ask that is asked once a turn, and gives the same answer again in it. Whoever waits for a turn asked before it began, so a
   * look at the disk in it is late enough for all of them.
   */
  once<K, V>(ask: (key: K) => V): (key: K) => V {
    const answers = new Map<K, V>()
    this.#memories.add(answers)
    return (key) => {
      if (this.#commit === null) return ask(key)
      const known = answers.get(key)
      if (known !== undefined) return known
      const answer = ask(key)
      answers.set(key, answer)
      return answer
    }
  }

  #runSoon(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => this.#run())
  }

  #run(): void {
    this.#isDue = false
    const waiting = this.#waiting.splice(0, MOST_A_TURN)
    const until = this.#mono() + TURN_MS
    const commit = this.#gather()
    const turn = newCommit()
    this.#commit = turn
    this.#number += 1
    let resumed = 0
    const resumeNext = (): void => {
      const resume = resumed > 0 && this.#mono() >= until ? undefined : waiting[resumed]
      if (resume !== undefined) {
        resumed += 1
        resume()
        // it runs as a microtask, before this one
        queueMicrotask(resumeNext)
        return
      }
      this.#waiting.unshift(...waiting.slice(resumed))
      // a tick runs when no microtask is left
      process.nextTick(() => {
        this.#end(turn, commit)
        if (this.#waiting.length > 0) this.#runSoon()
      })
    }
    resumeNext()
  }

  #end(turn: Commit, commit: () => void): void {
    this.#commit = null
    for (const memory of this.#memories) memory.clear()
    try {
      commit()
      turn.settle()
    } catch (error) {
      turn.fail(error)
    }
  }
}

function newCommit(): Commit {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // a turn that wrote nothing has nobody who waits for it
  promise.catch(() => {})
  return { done: promise, settle: resolve, fail: reject }
}
