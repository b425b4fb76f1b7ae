/** A failure of the state as a problem that a person can mend. */
import type { Problem } from '../core/problem.ts'
import { STATE_CURES, type StateError } from '../state.ts'

export const STATE_CODES = Object.keys(STATE_CURES)

export function stateProblem(error: StateError): Problem {
  const cure = STATE_CURES[error.code]
  // the message of the state ends with its cure already
  return {
    code: `state_${error.code}`,
    severity: error.code === 'replaced' ? 'warning' : 'error',
    message: error.message.replace(cure, '').trim(),
    cure,
  }
}
