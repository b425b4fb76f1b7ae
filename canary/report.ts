/** What came out of a canary: seam by seam, row by row, as a table and as JSON. */
import type { Profile } from '../src/core/profile.ts'
import type { MomentKind } from '../src/core/moment.ts'
import type { RowResult, SeamName } from './row.ts'

export interface SeamResult {
  readonly seam: SeamName
  /** `proven`: all of its rows passed, and there is one. `untested`: no row was played for it. */
  readonly state: 'proven' | 'failed' | 'untested'
  readonly rows: number
}

export interface CanaryReport {
  readonly harness: string
  readonly version: string
  readonly at: string
  readonly seconds: number
  readonly seams: readonly SeamResult[]
  readonly rows: readonly RowResult[]
}

/** The seams that the profile claims. */
export function claimedSeams(profile: Profile): readonly SeamName[] {
  // The keys of the profile's seams are moment kinds: that is their type.
  const kinds = Object.keys(profile.seams) as MomentKind[]
  return kinds.flatMap((kind): readonly SeamName[] => {
    const seam = profile.seams[kind]
    if (seam === undefined) return []
    return [...(seam.inject === null ? [] : [`${kind} inject` as const]), ...(seam.deny ? [`${kind} deny` as const] : [])]
  })
}

export function seamResults(claimed: readonly SeamName[], rows: readonly RowResult[]): readonly SeamResult[] {
  return claimed.map((seam) => {
    const own = rows.filter((row) => row.seams.includes(seam))
    const state = own.length === 0 ? 'untested' : own.every((row) => row.passed) ? 'proven' : 'failed'
    return { seam, state, rows: own.length }
  })
}

/** True if every row passed and every claimed seam is proven. With `--only`, seams without a row don't count. */
export function isGood(report: CanaryReport, wasNarrowed: boolean): boolean {
  return (
    report.rows.every((row) => row.passed) &&
    report.seams.every((seam) => seam.state === 'proven' || (wasNarrowed && seam.state === 'untested'))
  )
}

export function table(report: CanaryReport): string {
  const width = Math.max(...report.seams.map((seam) => seam.seam.length), 4)
  const lines = report.seams.map((seam) => `  ${seam.seam.padEnd(width)}  ${seam.state.padEnd(8)}  ${seam.rows}`)
  const head = `  ${'seam'.padEnd(width)}  ${'state'.padEnd(8)}  rows`
  return [`${report.harness} ${report.version}, ${report.seconds} s`, head, ...lines].join('\n')
}
