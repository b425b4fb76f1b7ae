/** What a person can do to the rules while an agent works: switch serving off and on, lift a gate. A person is always stronger. */
import type { Entry } from '../core/entry.ts'
import { gateOf, withGate } from '../core/gate.ts'
import { id, type Millis, type SessionId, type ThreadId } from '../core/id.ts'
import type { State } from '../state.ts'

const OFF_UNTIL = 'off-until'
/** A person's lift reaches contexts that were seen within this time. */
const LIFT_REACHES_MS = 24 * 60 * 60 * 1_000

/** Switches serving off until a time; null: until it is switched on; 'on': now. */
export function switchServing(state: State, until: Millis | null | 'on'): void {
  state.setSetting(OFF_UNTIL, until === 'on' ? null : String(until ?? Number.MAX_SAFE_INTEGER))
}

/** Until when serving is off: null when it is on, infinity when it stays off until a person switches it on. */
export function offUntil(state: State, now: Millis): Millis | null {
  const kept = state.setting(OFF_UNTIL)
  const until = kept === null ? 0 : Number(kept)
  if (until <= now) return null
  return until === Number.MAX_SAFE_INTEGER ? Infinity : until
}

/** Lifts an entry's gate, or a forbid, in all contexts of the last day, or of one thread. Returns in how many. */
export function liftByHand(state: State, entry: Entry, thread: ThreadId | undefined, at: Millis): number {
  let lifted = 0
  for (const context of state.contexts({ seenSince: at - LIFT_REACHES_MS })) {
    // a context's id begins with its thread's: harness, session
    if (thread !== undefined && !`${context}/`.startsWith(`${thread}/`)) continue
    const session = id<SessionId>(context.split('/')[1] ?? '')
    lifted += state.update<number>({ context, session }, ({ context: before }) => {
      if (before === null) return { result: 0 }
      const gate = gateOf(before, entry)
      if (gate.lifted === 'by-hand') return { result: 0 }
      return {
        context: withGate(before, entry.id, { ...gate, lifted: 'by-hand' }),
        gates: [{ context, entry: entry.id, lift: 'by-hand', at }],
        result: 1,
      }
    })
  }
  return lifted
}
