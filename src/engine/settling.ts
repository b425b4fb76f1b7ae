/** The step that settles or releases a delivery. */
import type { ContextState } from '../core/context.ts'
import type { ClaimFact, NoRecordsFact } from '../core/fact.ts'
import type { DeliveryId, Millis } from '../core/id.ts'
import { judge } from '../core/judge.ts'
import type { ClaimRow, GateRow } from '../core/row.ts'
import { expire, settle } from '../core/settle.ts'
import type { Step } from '../state.ts'
import type { Handover } from './handovers.ts'

export interface SettledAll {
  readonly gates: readonly GateRow[]
  /** Replies that were reserved and are released now. */
  readonly dropped: number
}

/** The step that settles or releases several deliveries of one context. `tellsWaveEnd`: its harness tells when a reply's calls are done. */
export function settlingSteps(
  context: ContextState | null,
  handovers: readonly Handover[],
  now: Millis,
  tellsWaveEnd: boolean,
): Step<SettledAll> {
  let after = context
  let dropped = 0
  const claims: ClaimRow[] = []
  const gates: GateRow[] = []
  for (const { delivery, outcome } of handovers) {
    const step = settlingStep(after, delivery, outcome, now, tellsWaveEnd)
    after = step.context ?? after
    if (outcome === 'dropped' && step.result.result === 'settled') dropped += 1
    claims.push(...(step.claims ?? []))
    gates.push(...(step.gates ?? []))
  }
  const result = { gates, dropped }
  return after === null || after === context ? { result } : { context: after, claims, gates, result }
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
  // what was not handed over can't have been seen
  const claims = context?.claims.filter((claim) => claim.delivery === delivery && claim.state === 'settled') ?? []
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
  tellsWaveEnd: boolean,
): Step<Settling> {
  if (context === null) return { result: { result: 'unknown', gates: [] } }
  const expired = expire(context, now)
  const settled = settle(expired.context, delivery, outcome, now)
  // nothing will ever be proven by records that there are not; calls of the same wave are held all the same (law 6)
  const judged =
    settled.context.noRecords && !tellsWaveEnd
      ? judge(settled.context, { facts: [noRecords(settled.context)], answeredSeq: null, now, gatesOf: () => [], claimed: [] })
      : { context: settled.context, claims: [], gates: [] }
  const gates = [...expired.gates, ...settled.gates, ...judged.gates]
  return {
    context: judged.context,
    claims: [...expired.claims, ...settled.claims, ...judged.claims],
    gates,
    result: { result: settled.result, gates },
  }
}

/** What the host's record may prove waits for it. */
function noRecords({ claims }: ContextState): NoRecordsFact {
  return { kind: 'no-records', ...(claims.some((claim) => claim.byHost === true) ? { hopeless: [] } : {}) }
}
