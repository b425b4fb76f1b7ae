/**
 * What matching takes and gives: the contract between the matcher and the rest.
 *
 * Being too generous inside (an index) is fine, the outcome is exact. Matching reads no files and keeps no state.
 */
import type { Entry, SessionTrigger } from '../core/entry.ts'
import type { Moment } from '../core/moment.ts'

export interface Project {
  /** Absolute root: the nearest git root, of the main checkout for a worktree, else the folder. */
  readonly root: string
  /** Every folder that counts as this project's root: the checkout at hand first. */
  readonly roots: readonly string[]
  /** Addresses of its git remotes. */
  readonly remotes: readonly string[]
}

/** A moment with what matching needs to know besides it. */
export interface Subject {
  readonly moment: Moment
  readonly project: Project
  /** Session triggers in force at this moment: those of the moment itself, and a pack that is still owed. */
  readonly sessionTriggers: readonly SessionTrigger[]
  /** Home folder, for `~` in commands and globs. */
  readonly home: string
  /** Resolves symlinks and `..` of an absolute path as far as it exists. */
  readonly real: (path: string) => string
  readonly at: number
}

export interface Candidate {
  readonly entry: Entry
  /** Index of the first item of its `when` that matched. */
  readonly item: number
}

export interface Matched {
  readonly candidates: readonly Candidate[]
  /** Null when the whole moment was analysed; else a fixed text that says what was not. */
  readonly notAnalysed: string | null
}

export interface Matcher {
  match(subject: Subject): Matched
}
