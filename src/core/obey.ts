/**
 * Obedience: what the agent did after a text was handed over, as far as the entry says how obeying looks.
 *
 * A denied call is no occasion. Once judged, or when its run is over, a claim waits no longer.
 */
import type { ContextState, Occasion } from './context.ts'
import type { EntryId, Millis, RunId } from './id.ts'
import type { ObedienceRow } from './row.ts'

/** What a moment says about an entry: `occasion`: its trigger matched, and neither of its two lists did. */
export type Conduct = 'obeyed' | 'violated' | 'occasion'

export interface Obeyed {
  readonly context: ContextState
  readonly rows: readonly ObedienceRow[]
}

/** Closes what waits for an occasion. `conducts` is empty for a denied call. `run` is the run that goes on; null: none does. */
export function judgeObedience(state: ContextState, conducts: ReadonlyMap<EntryId, Conduct>, run: RunId | null, at: Millis): Obeyed {
  if (state.occasions.length === 0) return { context: state, rows: [] }
  const rows: ObedienceRow[] = []
  const open: Occasion[] = []
  for (const occasion of state.occasions) {
    const verdict = occasion.run === run ? verdictOf(conducts.get(occasion.entry)) : 'no_occasion'
    if (verdict === null) open.push(occasion)
    else rows.push({ claim: occasion.claim, entry: occasion.entry, run: occasion.run, verdict, at })
  }
  return rows.length === 0 ? { context: state, rows } : { context: { ...state, occasions: open }, rows }
}

/** An occasion on which nothing that counts as obeying was done is a violation. */
function verdictOf(conduct: Conduct | undefined): ObedienceRow['verdict'] | null {
  if (conduct === undefined) return null
  return conduct === 'obeyed' ? 'obeyed' : 'violated'
}
