/** What may still be handed over: 8,000 bytes for rules and 2,000 for suggestions, per run, context and epoch (law 1). */
import type { Claim, Lane } from './claim.ts'
import type { Budget, ContextState } from './context.ts'
import type { RunId } from './id.ts'

/** UTF-8 bytes of text that we hand over, our marks included, the harness's wrapper not. */
export const LANE_BYTES: Readonly<Record<Lane, number>> = { rules: 8_000, router: 2_000 }

/** The budget of this run in this epoch: what is kept, or a full one. */
export function budgetFor(state: ContextState, run: RunId): Budget {
  const kept = state.budget
  if (kept !== null && kept.run === run && kept.epoch === state.epoch) return kept
  return { run, epoch: state.epoch, rules: 0, router: 0 }
}

export function bytesLeft(budget: Budget, lane: Lane): number {
  return LANE_BYTES[lane] - budget[lane]
}

export function charge(budget: Budget, lane: Lane, bytes: number): Budget {
  return { ...budget, [lane]: budget[lane] + bytes }
}

/** Gives a claim's bytes back, but only to the budget that they were taken from. */
export function refund(state: ContextState, claim: Claim): ContextState {
  const budget = state.budget
  if (budget === null || claim.bytes === 0 || budget.run !== claim.run || budget.epoch !== claim.epoch) return state
  return { ...state, budget: { ...budget, [claim.lane]: Math.max(0, budget[claim.lane] - claim.bytes) } }
}
