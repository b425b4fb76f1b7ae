/** Work that no hook waits for, one after the other for each session; a moment waits until what came before it was told. */
export class Background {
  readonly #last = new Map<string, Promise<void>>()

  /** `work` must not throw. */
  add(session: string, work: () => Promise<void>): void {
    const before = this.#last.get(session) ?? Promise.resolve()
    const done = before.then(work, work).finally(() => {
      if (this.#last.get(session) === done) this.#last.delete(session)
    })
    this.#last.set(session, done)
  }

  async idle(session: string): Promise<void> {
    await this.#last.get(session)
  }
}
