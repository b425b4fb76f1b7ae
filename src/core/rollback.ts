/** A rollback that the host tells of: runs were taken back although the session's id stays (T11). */
import type { ContextState, Known } from './context.ts'
import { endEpoch, type EpochEnd } from './epoch.ts'
import type { EntryId, Millis, RunId } from './id.ts'

/**
 * Ends the epoch if anything of the context belongs to a run that was taken back; else changes nothing, so that the same rollback
 * told twice, or told by the records before, counts once. What was shown in other runs is still known.
 */
export function rollBack(state: ContextState, runs: ReadonlySet<RunId>, at: Millis): EpochEnd {
  if (runs.size === 0) return { context: state, gates: [] }
  const kept: Record<EntryId, Known> = {}
  // what is on its way may be what was served at the start
  let isTextLost = state.claims.some(({ run, epoch }) => epoch === state.epoch && runs.has(run))
  for (const [entry, known] of Object.entries(state.known)) {
    // keys of a record lose their brand
    if (known.run === null || !runs.has(known.run)) kept[entry as EntryId] = known
    else isTextLost = true
  }
  const isOfRun = state.budget !== null && runs.has(state.budget.run)
  if (!isTextLost && !isOfRun) return { context: state, gates: [] }
  const { context, gates } = endEpoch(state, at, kept)
  // what is missing of the pack comes at the next seam
  return { context: isTextLost ? { ...context, owed: context.owed ?? 'start' } : context, gates }
}
