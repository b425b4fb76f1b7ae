/** A session that was served standalone was joined to a host's run: what it holds of the one run belongs to the other from now on. */
import type { ContextState } from './context.ts'
import type { RunId } from './id.ts'

/** The context with one run's budget, claims, carries, occasions and known entries as another run's. */
export function moveRun(state: ContextState, from: RunId, to: RunId): ContextState {
  const moved = <Of extends { readonly run: RunId | null }>(of: Of): Of => (of.run === from ? { ...of, run: to } : of)
  const isIn = (list: readonly { readonly run: RunId | null }[]) => list.some(({ run }) => run === from)
  const { budget, claims, carries, occasions, known, stopCarried } = state
  const isTouched =
    budget?.run === from || stopCarried === from || [claims, carries, occasions, Object.values(known)].some((list) => isIn(list))
  if (!isTouched) return state
  return {
    ...state,
    budget: budget === null ? null : moved(budget),
    claims: claims.map(moved),
    carries: carries.map(moved),
    occasions: occasions.map(moved),
    known: Object.fromEntries(Object.entries(known).map(([entry, one]) => [entry, moved(one)])),
    stopCarried: stopCarried === from ? to : stopCarried,
  }
}
