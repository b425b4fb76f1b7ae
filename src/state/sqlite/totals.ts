/** Counters of what was written since the state was opened. */
import type { ClaimRow, Step, Totals } from '../../state.ts'

export interface Counting {
  /** `judged`: the claims that got their verdict now. Call it after the commit. */
  add(step: Pick<Step<unknown>, 'moment' | 'gates' | 'obedience'>, judged: readonly ClaimRow[]): void
  read(): Totals
}

export function newTotals(): Counting {
  const moments = newCounter()
  const verdicts = newCounter()
  const lifts = newCounter()
  const obedience = newCounter()
  let bytes = 0
  return {
    add(step, judged) {
      if (step.moment !== undefined) {
        moments.count(step.moment.outcome)
        bytes += step.moment.bytes
      }
      for (const row of judged) verdicts.count(row.verdict)
      for (const row of step.gates ?? []) lifts.count(row.lift)
      for (const row of step.obedience ?? []) obedience.count(row.verdict)
    },
    read: () => ({ moments: moments.read(), verdicts: verdicts.read(), lifts: lifts.read(), obedience: obedience.read(), bytes }),
  }
}

function newCounter() {
  const counts = new Map<string, number>()
  return {
    count: (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1),
    read: (): Readonly<Record<string, number>> => Object.fromEntries(counts),
  }
}
