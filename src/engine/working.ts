/** The parts of the engine that stand on a state: there as long as it can be used. */
import type { ContextId, Millis } from '../core/id.ts'
import type { Evidence } from '../evidence/reader.ts'
import type { Harness } from '../harness.ts'
import type { Retention, State } from '../state.ts'
import { Answering, type AnsweringOptions } from './answering.ts'
import { Handovers } from './handovers.ts'
import { Looks } from './looks.ts'
import type { Problems } from './problems.ts'
import { settlingSteps } from './settling.ts'
import { startUpkeep } from './upkeep.ts'

export interface Working {
  readonly state: State
  readonly looks: Looks
  readonly answering: Answering
  readonly handovers: Handovers
  /** Ends all of it; the state is closed last. */
  close(): Promise<void>
}

export interface WorkingOptions extends Omit<AnsweringOptions, 'looks'> {
  readonly evidence: Evidence
  readonly harnessOf: (context: ContextId) => Harness | null
  readonly retention: (now: Millis) => Retention
  readonly checkpoint: () => Promise<boolean>
  readonly lastMomentAt: () => Millis
  /** Told of each settle that dropped a reply. */
  readonly onDropped: () => void
  readonly problems: Problems
  readonly onError: (error: unknown) => void
}

export function startWorking(options: WorkingOptions): Working {
  const { state, now, problems, harnessOf, onDropped, onError } = options
  const looks = new Looks(options)
  const handovers = new Handovers({
    contextOf: (delivery) => state.contextOf(delivery),
    settle(at, settled) {
      const tellsWaveEnd = harnessOf(at.context)?.profile.tellsBatchEnd === true
      const { gates, dropped } = state.update(at, ({ context }) => settlingSteps(context, settled, now(), tellsWaveEnd))
      problems.lifted(gates, now())
      for (let reply = 0; reply < dropped; reply += 1) onDropped()
    },
    onError,
  })
  const stopUpkeep = startUpkeep(options)
  return {
    state,
    looks,
    answering: new Answering({ ...options, looks }),
    handovers,
    async close() {
      stopUpkeep()
      handovers.flush()
      await looks.close()
      state.close()
    },
  }
}
