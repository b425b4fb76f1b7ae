/** Which session triggers are in force at a moment: those of the moment itself, or of a pack that is still owed. */
import type { ContextState } from '../core/context.ts'
import type { SessionTrigger } from '../core/entry.ts'
import type { Moment } from '../core/moment.ts'
import type { Profile } from '../core/profile.ts'

/**
 * `start` holds wherever a main agent's window begins without the text: at a start, and again after a compaction or an unknown
 * resume; what is still known there is not served again. `compact` and `resume` hold there alone.
 */
const EXPANDED: Readonly<Record<SessionTrigger, readonly SessionTrigger[]>> = {
  start: ['start'],
  resume: ['resume', 'start'],
  compact: ['compact', 'start'],
  subagent: ['subagent'],
}

export interface Triggers {
  readonly triggers: readonly SessionTrigger[]
  /** True if they are a whole pack: once answered, none is owed. */
  readonly isPack: boolean
}

/** `context` is the context as it stands after the moment was observed. */
export function triggersOf(moment: Moment, context: ContextState, profile: Profile): Triggers {
  // nothing is served before it is known what is there already
  if (context.unscanned) return { triggers: [], isPack: false }
  const own = ownTrigger(moment)
  if (own !== null) return { triggers: expanded(own, moment), isPack: true }
  // at the stop a text costs a model round: only what was carried there on purpose
  const takesText = moment.noSeam !== true && moment.kind !== 'stop' && (profile.seams[moment.kind]?.inject ?? null) !== null
  if (context.owed === null || !takesText) return { triggers: [], isPack: false }
  return { triggers: expanded(context.owed, moment), isPack: true }
}

/** The context after a moment that nothing could be served at: the pack that it would have got comes at the next seam. */
export function owing(context: ContextState, moment: Moment): ContextState {
  const own = ownTrigger(moment)
  // what an unknown resume holds is found out first
  return own === null || context.unscanned ? context : { ...context, owed: own }
}

/** A subagent whose window was compacted begins as a subagent again. */
function expanded(trigger: SessionTrigger, { agent }: Moment): readonly SessionTrigger[] {
  return trigger === 'compact' && agent !== null ? ['compact', 'subagent'] : EXPANDED[trigger]
}

function ownTrigger(moment: Moment): SessionTrigger | null {
  if (moment.kind === 'subagent-start') return 'subagent'
  if (moment.kind !== 'session-start') return null
  switch (moment.source) {
    case 'startup':
    case 'clear':
      return 'start'
    case 'compact':
      return 'compact'
    case 'resume':
    case 'fork':
      return 'resume'
    default:
      return moment.source satisfies never
  }
}
