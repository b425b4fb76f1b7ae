/** Single rows that a step is given, as `put-away.ts` wrote them. */
import type { ContextState } from '../../core/context.ts'
import type { ClaimId, ContextId, DeliveryId, SessionId } from '../../core/id.ts'
import type { ThreadState } from '../../host.ts'
import { STATE_CURES, StateError, type Before, type State } from '../../state.ts'
import { contextFrom, threadFrom } from './decode.ts'
import type { Statements } from './statements.ts'

export function readContext(statements: Statements, context: ContextId): ContextState | null {
  const row = statements.contextState.get(context)
  return row === undefined ? null : readable(contextFrom(row['state']), `context ${context}`)
}

export function readThread(statements: Statements, session: SessionId): ThreadState | null {
  const row = statements.threadState.get(session)
  return row === undefined ? null : readable(threadFrom(row['state']), `the thread of session ${session}`)
}

/** What can't be read was changed by other hands; it stops its own session and no other. */
function readable<T>(found: T | null, of: string): T {
  if (found !== null) return found
  throw new StateError(
    'unreadable_row',
    `The row of ${of} in the state file can't be read: other hands changed it. ${STATE_CURES.unreadable_row}`,
  )
}

export function readAnswer(statements: Statements, delivery: DeliveryId): Before['replay'] {
  const row = statements.answerOf.get(delivery)
  return row === undefined ? null : { answer: row['answer'] === null ? null : String(row['answer']), at: Number(row['at']) }
}

/** Context and session of a delivery. */
export function readOrigin(statements: Statements, delivery: DeliveryId): ReturnType<State['contextOf']> {
  const row = statements.contextOf.get(delivery)
  // the row as a plain object; its columns are the names of the type
  return row === undefined ? null : ({ ...row } as unknown as ReturnType<State['contextOf']>)
}

/** Claims by their marks; unknown ones are left out. */
export function readClaimed(statements: Statements, claims: readonly ClaimId[]): ReturnType<State['claimed']> {
  return claims.flatMap((claim) => {
    const row = statements.claimed.get(claim)
    if (row === undefined) return []
    const { entry, entry_hash: entryHash, form } = row
    return [{ claim, entry, entryHash, form } as unknown as ReturnType<State['claimed']>[number]] // written as these types
  })
}
