/** A row of the canary: one thing that must work on the real program, and the seams of the profile that it proves. */
import type { MomentKind } from '../src/core/moment.ts'

/** A place where one harness version lets text in, or denies a call. */
export type SeamName = `${MomentKind} ${'inject' | 'deny'}`

export interface Row<Stage> {
  readonly name: string
  readonly seams: readonly SeamName[]
  /** Throws when it is not so. */
  readonly run: (stage: Stage) => Promise<void>
}

export interface RowResult {
  readonly name: string
  readonly seams: readonly SeamName[]
  readonly passed: boolean
  /** Null when it passed. */
  readonly failure: string | null
  readonly ms: number
}

export class RowFailure extends Error {
  override readonly name = 'RowFailure'
}

/** Fails the row, in words that say what was expected. */
export function must(isSo: boolean, expected: string): asserts isSo {
  if (!isSo) throw new RowFailure(expected)
}
