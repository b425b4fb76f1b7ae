/** What came out of a canary: seam by seam, row by row, as a table and as JSON. */
import type { Profile } from '../src/core/profile.ts'
import type { MomentKind } from '../src/core/moment.ts'
import type { Excused, RowResult, SeamName } from './row.ts'

export interface SeamResult {
  readonly seam: SeamName
  /** `proven`: all of its rows passed, and there is one. `untested`: no row was played for it. */
  readonly state: 'proven' | 'failed' | 'untested'
  readonly rows: number
}

/** Of the claims of a run one in so many may have ended in another way than shown, hidden or cut; of fewer, one. */
const ONE_IN = 100

/** The claims of all rows but those that take the proof away on purpose. */
export interface ProvenShare {
  readonly judged: number
  readonly total: number
  /** Claims of the rows that were left out. */
  readonly apart: number
  /** Rows and entries of those that are not judged. */
  readonly rest: readonly string[]
}

export interface CanaryReport {
  readonly harness: string
  readonly version: string
  readonly at: string
  readonly seconds: number
  readonly seams: readonly SeamResult[]
  readonly rows: readonly RowResult[]
  readonly excused: readonly Excused[]
  readonly claims: ProvenShare
}

export function provenShare(rows: readonly RowResult[]): ProvenShare {
  const sizeOf = ({ claims }: RowResult): number => claims.judged + claims.unverified + claims.open
  const sum = (of: readonly RowResult[], value: (row: RowResult) => number): number => of.reduce((total, row) => total + value(row), 0)
  const counted = rows.filter((row) => !row.withoutProof)
  return {
    judged: sum(counted, ({ claims }) => claims.judged),
    total: sum(counted, sizeOf),
    apart: sum(
      rows.filter((row) => row.withoutProof),
      sizeOf,
    ),
    rest: counted.flatMap(({ name, claims }) => claims.entries.map((entry) => `${name}: ${entry}`)),
  }
}

export function isProvenEnough({ judged, total }: ProvenShare): boolean {
  return total - judged <= Math.max(1, Math.floor(total / ONE_IN))
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

/** True if every row passed, every claimed seam is proven, and nearly every claim was judged. With `--only`, seams without a row don't count. */
export function isGood(report: CanaryReport, wasNarrowed: boolean): boolean {
  return (
    report.rows.every((row) => row.passed) &&
    isProvenEnough(report.claims) &&
    report.seams.every((seam) => seam.state === 'proven' || (wasNarrowed && seam.state === 'untested'))
  )
}

export function table(report: CanaryReport): string {
  const width = Math.max(...report.seams.map((seam) => seam.seam.length), 4)
  const lines = report.seams.map((seam) => `  ${seam.seam.padEnd(width)}  ${seam.state.padEnd(8)}  ${seam.rows}`)
  const head = `  ${'seam'.padEnd(width)}  ${'state'.padEnd(8)}  rows`
  return [`${report.harness} ${report.version}, ${report.seconds} s`, head, ...lines, '', claimsLine(report.claims)].join('\n')
}

/** How many ended shown, hidden or cut, and which did not. */
export function claimsLine({ judged, total, apart, rest }: ProvenShare): string {
  const share = total === 0 ? 'none' : `${((100 * judged) / total).toFixed(1)} %`
  const besides = apart === 0 ? '' : `; ${apart} more in rows without proof on purpose`
  const what = rest.length === 0 ? '' : `\n${rest.map((one) => `    not judged: ${one}`).join('\n')}`
  return `  claims that ended shown, hidden or cut: ${judged} of ${total} (${share})${besides}${what}`
}
