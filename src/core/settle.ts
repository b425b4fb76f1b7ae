/** Delivery: a reply is settled when it was handed over, released when it was dropped or when nobody said anything (law 3). */
import { refund } from './budget.ts'
import { isOutdated, type Claim } from './claim.ts'
import type { ContextState } from './context.ts'
import { addWave, keptOrNew, withGate } from './gate.ts'
import type { DeliveryId, Millis } from './id.ts'
import type { ClaimRow, GateRow } from './row.ts'

/** Nobody said within this time that the reply was handed over: it is released. */
export const SETTLE_WINDOW_MS = 2_000

/** Claims that wait for an occasion at the same time; the oldest give way. */
const MOST_OCCASIONS = 64

export interface Settled {
  readonly context: ContextState
  readonly claims: readonly ClaimRow[]
  readonly gates: readonly GateRow[]
  /** `unknown`: nothing of that delivery is reserved here. */
  readonly result: 'settled' | 'unknown'
}

/** Settles or releases what a delivery reserved. Call `expire` first: a settle after the window finds nothing. */
export function settle(before: ContextState, delivery: DeliveryId, outcome: 'handed' | 'dropped', at: Millis): Settled {
  const mine = before.claims.filter((claim) => claim.delivery === delivery && claim.state === 'reserved')
  if (mine.length === 0) return { context: before, claims: [], gates: [], result: 'unknown' }
  if (outcome === 'dropped') return { ...release(before, mine, 'dropped', at), result: 'settled' }

  const ids = new Set(mine.map((claim) => claim.id))
  let context: ContextState = {
    ...before,
    // a stub has nothing to prove: it is done
    claims: before.claims
      .filter((claim) => !(ids.has(claim.id) && claim.form === 'stub'))
      .map((claim): Claim => (ids.has(claim.id) ? { ...claim, state: 'settled' } : claim)),
  }
  const occasions = mine
    .filter((claim) => claim.isWatched && claim.form !== 'stub')
    .map((claim) => ({ claim: claim.id, entry: claim.entry, hash: claim.entryHash, run: claim.run }))
  context = { ...context, occasions: [...context.occasions, ...occasions].slice(-MOST_OCCASIONS) }
  const gates: GateRow[] = []
  for (const claim of mine) {
    const kept = context.gates[claim.entry]
    if (claim.role !== 'hold' || claim.epoch !== context.epoch || isOutdated(claim, kept)) continue
    const gate = keptOrNew(kept, claim.entryHash, claim.seq)
    // a reply that is settled after the gate was lifted counts for nothing any more
    if (gate.lifted !== null) continue
    context = withGate(context, claim.entry, { ...gate, heldWaves: addWave(gate.heldWaves, claim.wave) })
    const lifted = context.gates[claim.entry]?.lifted ?? null
    if (lifted !== null) gates.push({ context: context.id, entry: claim.entry, lift: lifted, at })
  }
  return { context, claims: [], gates, result: 'settled' }
}

/** Releases what nobody settled within the window. A clock that went back counts as past it. */
export function expire(before: ContextState, now: Millis): Omit<Settled, 'result'> {
  const late = before.claims.filter((claim) => claim.state === 'reserved' && (now - claim.at > SETTLE_WINDOW_MS || now < claim.at))
  if (late.length === 0) return { context: before, claims: [], gates: [] }
  return release(before, late, 'delivery_unverified', now)
}

function release(
  before: ContextState,
  claims: readonly Claim[],
  verdict: 'dropped' | 'delivery_unverified',
  at: Millis,
): Omit<Settled, 'result'> {
  const ids = new Set(claims.map((claim) => claim.id))
  let context: ContextState = { ...before, claims: before.claims.filter((claim) => !ids.has(claim.id)) }
  for (const claim of claims) context = refund(context, claim)
  return { context, claims: claims.map((claim) => ({ claim: claim.id, verdict, why: null, at })), gates: [] }
}
