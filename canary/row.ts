/** A row of the canary: one thing that must work on the real program, and the seams of the profile that it proves. */
import type { MomentKind } from '../src/core/moment.ts'
import type { ClaimCounts } from './claims.ts'

/** A place where one harness version lets text in, or denies a call. */
export type SeamName = `${MomentKind} ${'inject' | 'deny'}`

export interface Row<Stage> {
  readonly name: string
  readonly seams: readonly SeamName[]
  /** Set where the row takes away on purpose what proves: its claims are counted apart. */
  readonly withoutProof?: true
  /** Throws when it is not so. */
  readonly run: (stage: Stage) => Promise<void>
}

/** A row for all harnesses that this one can't play. */
export interface Excused {
  readonly name: string
  /** `since`: the day on which it was last looked whether the excuse still holds. */
  readonly excuse: { readonly since: string; readonly why: string }
}

export interface RowResult {
  readonly name: string
  readonly seams: readonly SeamName[]
  readonly passed: boolean
  /** Null when it passed. */
  readonly failure: string | null
  readonly ms: number
  readonly claims: ClaimCounts
  readonly withoutProof: boolean
}

export class RowFailure extends Error {
  override readonly name = 'RowFailure'
}

/** Fails the row, in words that say what was expected. */
export function must(isSo: boolean, expected: string): asserts isSo {
  if (!isSo) throw new RowFailure(expected)
}
