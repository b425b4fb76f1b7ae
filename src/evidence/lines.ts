/** Bytes in pieces, whole lines out. Only what ends with a line break is a line: the last one may still be in the writing. */

/** A longer line is passed over: no record of a delivery is that long, and it would have to stay in memory whole. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024

const LINE_BREAK = 0x0a

export class Lines {
  #pieces: Buffer[] = []
  #held = 0
  #isSkipping = false

  /** Calls `take` with each line that these bytes complete. Keeps the rest; the bytes are copied where they are kept. */
  push(bytes: Buffer, take: (line: string) => void): void {
    let from = 0
    for (;;) {
      const end = bytes.indexOf(LINE_BREAK, from)
      if (end === -1) return this.#keep(bytes.subarray(from))
      const line = bytes.subarray(from, end)
      from = end + 1
      if (this.#isSkipping) this.#isSkipping = false
      else if (this.#held + line.length <= MAX_LINE_BYTES) {
        const whole = this.#held === 0 ? line : Buffer.concat([...this.#pieces, line])
        if (whole.length > 0) take(whole.toString('utf8'))
      }
      this.#drop()
    }
  }

  #keep(rest: Buffer): void {
    if (rest.length === 0 || this.#isSkipping) return
    if (this.#held + rest.length > MAX_LINE_BYTES) {
      this.#drop()
      this.#isSkipping = true
      return
    }
    this.#pieces.push(Buffer.from(rest))
    this.#held += rest.length
  }

  #drop(): void {
    this.#pieces = []
    this.#held = 0
  }
}
