/** Budgets against the log: what is charged to a run is what was handed over in it and not taken back, to the byte (laws 1, 3, 11). */
import { id, type ThreadId } from '../../src/core/id.ts'
import type { Problem } from '../../src/core/problem.ts'
import type { LoggedMoment, State } from '../../src/state.ts'

/** Verdicts that give the bytes back. */
const REFUNDED: ReadonlySet<string> = new Set(['dropped', 'delivery_unverified', 'hidden'])

export function budgetMistakes(state: State): readonly Problem[] {
  return state.contexts({}).flatMap((context) => {
    const budget = state.context(context)?.budget ?? null
    if (budget === null) return []
    // the standalone host names a thread by its harness and session, as a context's id begins
    const thread = id<ThreadId>(context.split('/').slice(0, 2).join('/'))
    const rows = state.log({ thread, limit: 1_000_000 }).filter((row) => row.context === context)
    const charged = chargedIn(rows, budget.run, budget.epoch)
    if (charged === budget.rules) return []
    const message = `Context ${context} is charged ${budget.rules} bytes; its log comes to ${charged}.`
    return [{ code: 'budget_not_exact', severity: 'error', message, cure: '' } as const]
  })
}

function chargedIn(rows: readonly LoggedMoment[], run: string, epoch: number): number {
  return rows
    .filter((row) => row.run === run && row.epoch === epoch)
    .flatMap(({ candidates }) => candidates)
    .filter(({ claim, outcome }) => claim !== null && !REFUNDED.has(outcome))
    .reduce((sum, { bytes }) => sum + bytes, 0)
}
