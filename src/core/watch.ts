/** What a look into the records of one context is for. */
import type { Claim, Place } from './claim.ts'
import type { CallId, ClaimId, Millis, TextHash } from './id.ts'

export interface WatchedClaim {
  readonly id: ClaimId
  readonly textHash: TextHash
  readonly form: Claim['form']
  /** A held or forbidden call that ran all the same is told. */
  readonly role: Claim['role']
  readonly place: Place
}

/** A file whose reading would lift a gate. */
export interface WatchedFile {
  /** As the gate names it; a fact about it carries this. */
  readonly path: string
  /** True if this absolute path is that very file: the same one by symlink, or the same file in another worktree of the repository. */
  readonly isSame: (path: string) => boolean
  /** True if a line of the file stands in this text (numbered or cut output too). */
  readonly hasLineIn: (text: string) => boolean
  /** When the file was last changed: what was read before is not this text (law 15). Absent: not known. */
  readonly changedAt?: Millis
}

export interface Watch {
  readonly claims: readonly WatchedClaim[]
  readonly files: readonly WatchedFile[]
  /** The call that is about to be made: told is with what other calls the model made it, and nothing of what is held before it stands there. */
  readonly call?: CallId
  /** True when all marks are wanted that stand in the latest request: after an unknown resume or fork. */
  readonly wantsHeld: boolean
}
