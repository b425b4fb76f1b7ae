/** The interface of a host: what knows threads and runs. Each one is a folder under `host/`. */
import type { RunId, SessionId, ThreadId } from './core/id.ts'
import type { Moment } from './core/moment.ts'
import type { Problem } from './core/problem.ts'

export type Joining =
  | { readonly state: 'joined'; readonly thread: ThreadId; readonly run: RunId; readonly attempt: string }
  | { readonly state: 'standalone'; readonly thread: ThreadId; readonly run: RunId }
  | { readonly state: 'unjoined' | 'ambiguous' | 'unmapped' }

/** What a host remembers of one native session between moments. Kept with the state. */
export interface ThreadState {
  readonly session: SessionId
  readonly thread: ThreadId
  readonly run: RunId
  /** Counts the runs of the thread. */
  readonly runs: number
  /** `waiting`: no prompt yet; `running`; `stopped`: the next prompt of a person opens a new run. */
  readonly phase: 'waiting' | 'running' | 'stopped'
}

export interface Host {
  readonly kind: 'standalone' | 't3code'
  /** Joins a moment to its thread and run. `before` is what was kept for the session, if anything. */
  join(moment: Moment, before: ThreadState | null): { readonly joining: Joining; readonly thread: ThreadState | null }
  problems(): readonly Problem[]
}
