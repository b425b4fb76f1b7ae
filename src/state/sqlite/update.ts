/** One step of one context: what was before is read, the step runs, what it gives is gathered for its transaction. */
import type { Millis } from '../../core/id.ts'
import type { Before, Step } from '../../state.ts'
import type { Backlog } from './backlog.ts'
import type { At } from './batch.ts'

export interface Updated<T> {
  readonly step: Step<T>
  /** False if there was nothing to write: the step gave nothing, or its moment was a repeated one (law 4). */
  readonly isWritten: boolean
}

export function update<T>(backlog: Backlog, at: At, now: Millis, step: (before: Before) => Step<T>): Updated<T> {
  const replay = at.delivery === undefined ? null : backlog.replay(at.delivery)
  const parent = at.parent === undefined ? {} : { parent: backlog.thread(at.parent) }
  const after = step({ context: backlog.context(at.context), thread: backlog.thread(at.session), ...parent, replay })
  if (isEmpty(after) || isRepeated(backlog, at, after, replay)) return { step: after, isWritten: false }
  backlog.add(at, after, now)
  return { step: after, isWritten: true }
}

function isEmpty({ context, thread, moment, claims = [], gates = [], obedience = [] }: Step<unknown>): boolean {
  return context === undefined && thread === undefined && moment === undefined && claims.length + gates.length + obedience.length === 0
}

/** True if the delivery stands in the log already (T1). */
function isRepeated(backlog: Backlog, at: At, { moment }: Step<unknown>, replay: Before['replay']): boolean {
  if (moment === undefined) return false
  return (moment.delivery === at.delivery ? replay : backlog.replay(moment.delivery)) !== null
}
