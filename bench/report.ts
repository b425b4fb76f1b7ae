/** A run as JSON: what was measured, on what. */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HookTimes } from './hook-times.ts'
import type { Machine } from './machine.ts'
import type { MatchingResult } from './matching.ts'
import type { MomentsResult } from './moments.ts'
import type { BenchOptions } from './options.ts'
import type { SessionBytes } from './session-bytes.ts'
import type { WavesResult } from './waves.ts'

/** All times in milliseconds. */
export interface Report {
  readonly machine: Machine
  readonly effort: BenchOptions['effort']
  readonly moments: MomentsResult
  readonly waves: WavesResult
  readonly hooks: HookTimes
  readonly sessionBytes: SessionBytes
  readonly matching: MatchingResult
}

/** Returns where it was written. */
export function writeReport(report: Report, wanted: string | null): string {
  const file = wanted ?? join(tmpdir(), `contextmd-bench-${report.machine.date.replaceAll(/[:.]/g, '-')}.json`)
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
  return file
}
