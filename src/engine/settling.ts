/** The step that settles or releases a delivery. */
import type { ContextState } from '../core/context.ts'
import type { ClaimFact } from '../core/fact.ts'
import type { DeliveryId, Millis } from '../core/id.ts'
import { judge } from '../core/judge.ts'
import type { ClaimRow, GateRow } from '../core/row.ts'
import { expire, settle } from '../core/settle.ts'
import type { Step } from '../state.ts'
import type { Handover } from './handovers.ts'

/** The step that settles or releases several deliveries of one context. */
export function settlingSteps(context: ContextState | null, handovers: readonly Handover[], now: Millis): Step<readonly GateRow[]> {
  let after = context
  const claims: ClaimRow[] = []
  const gates: GateRow[] = []
  for (const { delivery, outcome } of handovers) {
    const step = settlingStep(after, delivery, outcome, now)
    after = step.context ?? after
    claims.push(...(step.claims ?? []))
    gates.push(...(step.gates ?? []))
  }
  return after === null || after === context ? { result: [] } : { context: after, claims, gates, result: gates }
}

/** What a client's word about a whole delivery says of each of its claims. */
const FOUND = { shown: 'whole', hidden: 'absent', cut: 'cut' } as const

/** The step that judges a delivery by the word of a client that sees what the model is sent. */
export function verdictStep(
  context: ContextState | null,
  delivery: DeliveryId,
  verdict: keyof typeof FOUND,
  now: Millis,
): Step<{ readonly result: 'judged' | 'unknown'; readonly gates: readonly GateRow[] }> {
  const claims = context?.claims.filter((claim) => claim.delivery === delivery) ?? []
  if (context === null || claims.length === 0) return { result: { result: 'unknown', gates: [] } }
  const facts = claims.map(({ id: claim }): ClaimFact => ({ kind: 'claim', claim, found: FOUND[verdict], answered: true }))
  const judged = judge(context, { facts, answeredSeq: null, now, gatesOf: () => [], claimed: [] })
  return { ...judged, result: { result: 'judged', gates: judged.gates } }
}

export interface Settling {
  readonly result: 'settled' | 'unknown'
  readonly gates: readonly GateRow[]
}

export function settlingStep(
  context: ContextState | null,
  delivery: DeliveryId,
  outcome: 'handed' | 'dropped',
  now: Millis,
): Step<Settling> {
  if (context === null) return { result: { result: 'unknown', gates: [] } }
  const expired = expire(context, now)
  const settled = settle(expired.context, delivery, outcome, now)
  // nothing will ever be proven in a session without records
  const judged = settled.context.noRecords
    ? judge(settled.context, { facts: [{ kind: 'no-records' }], answeredSeq: null, now, gatesOf: () => [], claimed: [] })
    : { context: settled.context, claims: [], gates: [] }
  const gates = [...expired.gates, ...settled.gates, ...judged.gates]
  return {
    context: judged.context,
    claims: [...expired.claims, ...settled.claims, ...judged.claims],
    gates,
    result: { result: settled.result, gates },
  }
}
