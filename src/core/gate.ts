/** A gate: a must-know entry in a context, armed or lifted. */
import type { ContextState } from './context.ts'
import { isPointer, type Entry } from './entry.ts'
import type { EntryId, TextHash } from './id.ts'
import type { Lift } from './outcome.ts'

export interface Gate {
  /** Hash of the entry that the gate is about. Another hash arms it anew (law 15). */
  readonly hash: TextHash
  /** Number of the moment at which it first was of that hash. */
  readonly seq: number
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

/** The gate of an entry as it stands: the kept one, or a new armed one where there is none or the entry was edited. */
export function gateOf(state: ContextState, entry: Pick<Entry, 'id' | 'hash'>): Gate {
  return keptOrNew(state.gates[entry.id], entry.hash, state.seq)
}

export function keptOrNew(kept: Gate | undefined, hash: TextHash, seq: number): Gate {
  if (kept !== undefined && kept.hash === hash) return kept
  return { hash, seq, lifted: null, heldWaves: [], shownWaves: [], read: [] }
}

/** Why the gate is lifted; null while it is armed. An inline gate is also lifted while its text is known as shown. */
export function liftOf(state: ContextState, entry: Entry): Lift | null {
  const gate = gateOf(state, entry)
  if (gate.lifted !== null) return gate.lifted
  const known = state.known[entry.id]
  const textIsShown = known !== undefined && known.hash === entry.hash && known.by === 'shown'
  return textIsShown && !isPointer(entry) ? 'shown' : null
}

/** Writes a gate, lifted where its counts say so. */
export function withGate(state: ContextState, entry: EntryId, gate: Gate): ContextState {
  return { ...state, gates: { ...state.gates, [entry]: { ...gate, lifted: gate.lifted ?? liftByCounts(gate) } } }
}

function liftByCounts(gate: Gate): Lift | null {
  if (gate.shownWaves.length >= SHOWN_WAVES_CAP) return 'capped'
  if (gate.heldWaves.length >= HELD_WAVES_CAP) return 'unproven'
  return null
}

/** Adds a wave to a list of waves, once. */
export function addWave(waves: readonly number[], wave: number): readonly number[] {
  return waves.includes(wave) ? waves : [...waves, wave]
}

export interface GateFiles {
  /** Files that a pointer names: all of them must be read. */
  readonly targets: readonly string[]
  /** The entry's own file and its note: reading any one of them is enough. */
  readonly own: readonly string[]
}

/** The gate after a proven read of a file (law 7). */
export function gateAfterRead(gate: Gate, files: GateFiles, path: string): Gate {
  if (gate.lifted !== null) return gate
  if (files.own.includes(path)) return { ...gate, lifted: 'read' }
  if (!files.targets.includes(path) || gate.read.includes(path)) return gate
  const read = [...gate.read, path]
  return { ...gate, read, lifted: files.targets.every((target) => read.includes(target)) ? 'read' : null }
}
