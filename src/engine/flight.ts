/** Equal requests in flight share one reply (law 4), so that no text is decided about twice. */
export class Flights<T> {
  readonly #open = new Map<string, Promise<T>>()

  /** Runs the work, or waits for the one that runs under the same key. */
  share(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#open.get(key)
    if (running !== undefined) return running
    const started = work().finally(() => this.#open.delete(key))
    this.#open.set(key, started)
    return started
  }
}
