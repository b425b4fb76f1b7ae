/** A gate: a must-know entry in a context, armed or lifted. */
import type { Lift } from './outcome.ts'
import type { TextHash } from './id.ts'

export interface Gate {
  /** Hash of the entry that the gate is about. Another hash arms it anew (law 15). */
  readonly hash: TextHash
  readonly lifted: Lift | null
  /** Waves with a deny that was handed over. */
  readonly heldWaves: readonly number[]
  /** Waves with a deny that was shown. */
  readonly shownWaves: readonly number[]
  /** Files of a pointer that were read so far. */
  readonly read: readonly string[]
}

/** A gate lifts as capped after this many waves with a shown deny (law 8). */
export const SHOWN_WAVES_CAP = 3
/** A gate lifts as unproven after this many held waves of any verdict (law 8). */
export const HELD_WAVES_CAP = 5
