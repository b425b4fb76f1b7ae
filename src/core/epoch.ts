/**
 * Epochs: the stretch of a context between two compactions, rewinds or clears (law 13).
 *
 * At its end gates arm, what was known is forgotten unless the latest request still holds it, and budgets refill. Claims that
 * are still open stay for the log, carries until a decision drops them with a row; a judgement about them reaches nothing of the new epoch.
 */
import type { ContextState, Known } from './context.ts'
import type { EntryId, Millis } from './id.ts'
import type { GateRow } from './row.ts'

export interface EpochEnd {
  readonly context: ContextState
  readonly gates: readonly GateRow[]
}

/** Ends the epoch. `stillKnown` is what the latest request is known to hold still. */
export function endEpoch(state: ContextState, at: Millis, stillKnown: Readonly<Record<EntryId, Known>> = {}): EpochEnd {
  const armed: GateRow[] = []
  for (const [entry, gate] of Object.entries(state.gates)) {
    // keys of a record lose their brand: they were written as entry ids
    if (gate.lifted !== null) armed.push({ context: state.id, entry: entry as EntryId, lift: 'armed', at })
  }
  return {
    context: { ...state, epoch: state.epoch + 1, gates: {}, known: stillKnown, reads: [], budget: null },
    gates: armed,
  }
}

/** How many marks of past compactions are kept, so that reading the records anew counts none twice. */
const KEPT_MARKS = 32

/**
 * Takes one signal of a compaction. The same compaction is told by a moment and by the records, in either order: the epoch
 * ends when the larger of the two counts grows (T10).
 */
export function compact(state: ContextState, by: 'moment' | { readonly mark: string }, at: Millis): EpochEnd {
  const before = state.compactions
  if (by !== 'moment' && before.marks.includes(by.mark)) return { context: state, gates: [] }
  const byMoment = before.byMoment + (by === 'moment' ? 1 : 0)
  const byRecords = before.byRecords + (by === 'moment' ? 0 : 1)
  const marks = by === 'moment' ? before.marks : [...before.marks, by.mark].slice(-KEPT_MARKS)
  const counted = Math.max(byMoment, byRecords)
  const next = { ...state, compactions: { byMoment, byRecords, counted, marks } }
  return counted > before.counted ? endEpoch(next, at) : { context: next, gates: [] }
}

/** A moment that can only come after the compactions on record were told: those that no moment told were missed. */
export function settleCompactions(state: ContextState): ContextState {
  const { byMoment, byRecords } = state.compactions
  if (byMoment >= byRecords) return state
  return { ...state, compactions: { ...state.compactions, byMoment: byRecords } }
}
