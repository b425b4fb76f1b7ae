/** Looking up what was handed over: by delivery, and by the marks that stand in a conversation. */
import type { ClaimId, DeliveryId } from '../../core/id.ts'
import type { State } from '../../state.ts'
import type { Statements } from './statements.ts'

export function contextOf(statements: Statements, delivery: DeliveryId): ReturnType<State['contextOf']> {
  const row = statements.contextOf.get(delivery)
  // the row as a plain object; its columns are the names of the type, written by update
  return row === undefined ? null : ({ ...row } as unknown as ReturnType<State['contextOf']>)
}

/** Unknown claims are left out. */
export function claimedBy(statements: Statements, claims: readonly ClaimId[]): ReturnType<State['claimed']> {
  return claims.flatMap((claim) => {
    const row = statements.claimed.get(claim)
    if (row === undefined) return []
    const { entry, entry_hash: entryHash } = row
    return [{ claim, entry, entryHash } as unknown as ReturnType<State['claimed']>[number]] // written by update as these types
  })
}
