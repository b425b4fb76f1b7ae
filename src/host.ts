/** The interface of a host: what knows threads and runs. Each one is a folder under `host/`. */
import type { Fact } from './core/fact.ts'
import type { ClaimId, ContextId, HarnessName, Millis, RunId, SessionId, ThreadId } from './core/id.ts'
import type { Moment } from './core/moment.ts'
import type { Problem } from './core/problem.ts'
import type { Watch } from './core/watch.ts'

/** What each state of a joining means: the log says it where nothing was served because of it. */
export const JOININGS = {
  joined: 'a host knows the session and has one running attempt for it',
  standalone: 'no host has ever recorded the session: a plain terminal',
  unjoined: 'a host knows the session and has no running attempt for it',
  ambiguous: 'more than one running attempt has this session',
  unmapped: "the session's host keeps its rows in a form that this version does not know",
} as const satisfies Readonly<Record<Joining['state'], string>>

export type Joining =
  | { readonly state: 'joined'; readonly thread: ThreadId; readonly run: RunId; readonly attempt: string }
  | { readonly state: 'standalone'; readonly thread: ThreadId; readonly run: RunId }
  /** With a run: between two attempts of it, or while the host can't be read; the moment is judged on it. Without: nothing is served. */
  | { readonly state: 'unjoined'; readonly thread: ThreadId; readonly run: RunId }
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
  /** The host's attempt that it was joined to last. Absent: never joined. */
  readonly attempt?: string
  /** It was served standalone before it was joined: what its contexts hold of the one run belongs to the other. */
  readonly moved?: { readonly from: RunId; readonly to: RunId }
}

export interface Joined {
  readonly joining: Joining
  readonly thread: ThreadState | null
  /** Runs of the thread that were taken back: what was shown in them is gone. */
  readonly rolledBack?: ReadonlySet<RunId>
}

/** A question to the host's record about one context. */
export interface HostLook {
  readonly context: ContextId
  readonly session: SessionId
  readonly harness: HarnessName
  /** The session's own folder, for relative paths in commands. */
  readonly folder: string | null
  readonly watch: Watch
}

export interface HostTold {
  /** `answered`: a later item of the same context stands there. Whether a reply lies between the two, the moments must tell as well. */
  readonly facts: readonly Fact[]
  /** Claims whose call stands in the record, finished or not. */
  readonly known: readonly ClaimId[]
}

/** For health: a database of a host that is read. */
export interface HostStatus {
  readonly name: string
  readonly state: 'joining' | 'unmapped' | 'failing' | 'loading'
  /** Its server runs now; null: not known. */
  readonly isLive: boolean | null
}

export interface Host {
  readonly kind: 'standalone' | 't3code'
  /**
   * Joins a moment to its thread and run. `before` is what was kept for the session, if anything; `parent` for the session that the
   * moment names as its parent. Synchronous, bounded, never throws.
   */
  join(moment: Moment, before: ThreadState | null, parent?: ThreadState | null): Joined
  /** The runs of the moment's thread that were taken back, as far as the session was joined before. */
  rolledBack?(moment: Moment): ReadonlySet<RunId>
  /** True if the host's record can tell what became of a denied call of this context. */
  canTell?(context: ContextId): boolean
  /** What the host's record tells. Never throws. */
  look?(look: HostLook): HostTold
  problems(): readonly Problem[]
  status?(): readonly HostStatus[]
  /** Resolves when nothing is being loaded in the background. */
  drain?(): Promise<void>
  close?(): void
}

/** What serving.json says of the host. */
export interface HostSetting {
  /** `found`: nothing is said; hosts that are there are joined. */
  readonly kind: 'found' | 'standalone' | 't3code'
  /** Base folder; null: the usual ones. */
  readonly base: string | null
  /** Inside a host, sessions that it never recorded are served, too. */
  readonly others: boolean
}

/** The clocks of a host. */
export interface HostClocks {
  readonly now: () => Millis
  /** Monotonic, in milliseconds. */
  readonly mono: () => number
}
