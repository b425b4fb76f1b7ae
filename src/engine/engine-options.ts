/** What the engine is put together from. */
import type { Problem } from '../core/problem.ts'
import type { Millis } from '../core/id.ts'
import type { Evidence } from '../evidence/reader.ts'
import type { Harness } from '../harness.ts'
import type { Host } from '../host.ts'
import type { Project } from '../match/match.ts'
import type { Checkpoints } from '../state/sqlite/checkpoint-thread.ts'
import type { Retention, State, StateError } from '../state.ts'
import type { Stores } from '../stores/stores.ts'

export interface EngineOptions {
  /** The state, or why there is none: then every moment is answered with nothing, and health says why. */
  readonly state: State | StateError
  /** Begins to try again where there is none; gives the way to stop. */
  readonly tryAgain?: (because: StateError, onOpened: (state: State) => void, onFailed: (error: unknown) => void) => () => void
  readonly retention: (now: Millis) => Retention
  /** Moves what the state committed into its main file, elsewhere than in this thread. */
  readonly checkpoints: Checkpoints
  readonly stores: Stores
  readonly harnesses: readonly Harness[]
  readonly host: Host
  readonly evidence: Evidence
  readonly projectOf: (cwd: string) => Project
  readonly home: string
  /** Folder of the notes. */
  readonly notes: string
  readonly version: string
  readonly now: () => Millis
  /** Where the text of a deny goes, against the profile: for the canary only. */
  readonly denyText?: 'context' | 'reason'
  /** What every wait for records and the deadline are multiplied by: for the canary, which proves seams and not speed. */
  readonly patience?: number
  /** Problems of parts that stand beside the engine: tokens. */
  readonly otherProblems?: () => readonly Problem[]
  /** Told of every failure that was turned into an answer; nothing of an event is in it. */
  readonly onError?: (error: unknown) => void
}
