/** A map that keeps only what was set last. */
export class Recent<K, V> {
  readonly #most: number
  readonly #kept = new Map<K, V>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: K): V | undefined {
    return this.#kept.get(key)
  }

  set(key: K, value: V): void {
    this.#kept.delete(key)
    this.#kept.set(key, value)
    const oldest = this.#kept.keys().next()
    if (this.#kept.size > this.#most && oldest.done !== true) this.#kept.delete(oldest.value)
  }

  clear(): void {
    this.#kept.clear()
  }
}
