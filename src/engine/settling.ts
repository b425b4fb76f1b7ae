/** The step that settles or releases a delivery. */
import type { ContextState } from '../core/context.ts'
import type { DeliveryId, Millis } from '../core/id.ts'
import { judge } from '../core/judge.ts'
import type { GateRow } from '../core/row.ts'
import { expire, settle } from '../core/settle.ts'
import type { Step } from '../state.ts'

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
