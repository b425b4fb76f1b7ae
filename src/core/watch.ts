/** What a look into the records of one context is for. */
import type { ClaimId, TextHash } from './id.ts'
import type { Place } from './claim.ts'

export interface WatchedClaim {
  readonly id: ClaimId
  readonly textHash: TextHash
  readonly form: 'text' | 'pointer' | 'stub'
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
}

export interface Watch {
  readonly claims: readonly WatchedClaim[]
  readonly files: readonly WatchedFile[]
  /** True when all marks are wanted that stand in the latest request: after an unknown resume or fork. */
  readonly wantsHeld: boolean
}
