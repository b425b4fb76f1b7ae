/** Why a moment passed without us, where the records alone can't tell. Pure. */
import type { MissedFact } from '../core/fact.ts'
import type { Millis } from '../core/id.ts'

/** A server that a hook starts answers after a second or two, on a busy machine later. */
const STARTING_MS = 10_000

/** A hook that was refused right before this server's start belongs to the session that started it: nothing is wrong. */
export function missedCause({ cause, at }: MissedFact, startedAt: Millis): MissedFact['cause'] {
  const isStarting = cause === 'refused' && at !== undefined && at <= startedAt && startedAt - at <= STARTING_MS
  return isStarting ? 'starting' : cause
}
