/** A bell between two parts of one process: one rings, one waits. Rings that come while nobody waits are kept, as one. */
export interface Bell {
  ring(): void
  rung(): Promise<void>
}

export function newBell(): Bell {
  let isRung = false
  let wake: (() => void) | null = null
  return {
    ring() {
      isRung = true
      wake?.()
    },
    async rung() {
      if (!isRung) await new Promise<void>((resolve) => (wake = resolve))
      isRung = false
      wake = null
    },
  }
}
