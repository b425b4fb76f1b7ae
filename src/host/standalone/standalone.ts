/**
 * ContextMD by itself as host: a session is a thread; a run starts at a person's prompt and ends at the main agent's stop.
 *
 * Prompts in between (steering, machine-made notices) belong to the run (T13); moments before the first prompt belong to the run
 * that it starts. A subagent works in the run of its session; one whose session is its own works in the run that started it.
 */
import { id, type RunId, type ThreadId } from '../../core/id.ts'
import type { Moment } from '../../core/moment.ts'
import type { Host, ThreadState } from '../../host.ts'

export const standaloneHost: Host = {
  kind: 'standalone',
  join(moment, before, parent = null) {
    const thread = parent === null ? advance(before ?? newThread(moment), moment) : startedBy(parent, moment, before)
    return { joining: { state: 'standalone', thread: thread.thread, run: thread.run }, thread }
  },
  problems: () => [],
}

function newThread(moment: Moment): ThreadState {
  const thread = id<ThreadId>(`${moment.harness}/${moment.session}`)
  return { session: moment.session, thread, run: runOf(thread, 1), runs: 1, phase: 'waiting' }
}

/** Its start may be told after its first moments, which were taken for those of a thread of its own. */
function startedBy({ thread, run, runs }: ThreadState, { session }: Moment, before: ThreadState | null): ThreadState {
  const wasApart = before !== null && before.thread !== thread
  const moved = wasApart ? { from: before.run, to: run } : before?.moved
  return { session, thread, run, runs, phase: 'running', ...(moved === undefined ? {} : { moved }) }
}

function runOf(thread: ThreadId, number: number): RunId {
  return id<RunId>(`${thread}#${number}`)
}

function advance(state: ThreadState, moment: Moment): ThreadState {
  if (moment.agent !== null) return state
  switch (moment.kind) {
    case 'prompt':
      if (state.phase === 'stopped' && !moment.machineMade)
        return { ...state, run: runOf(state.thread, state.runs + 1), runs: state.runs + 1, phase: 'running' }
      return { ...state, phase: 'running' }
    case 'stop':
    case 'session-end':
      return { ...state, phase: 'stopped' }
    case 'before-tool':
      // a stop that a hook turned round, or a machine-made turn: the same run goes on
      return state.phase === 'stopped' ? { ...state, phase: 'running' } : state
    default:
      return state
  }
}
