/** A filled state for a server: made there, or in a folder that is kept, where a filling that takes too long goes on the next time. */
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Served } from '../test/faults/served.fixture.ts'
import type { Findings } from './findings.ts'
import { fillState, type Fill } from './fill.ts'

export interface Keeping {
  readonly folder: string
  /** Of `performance.now()`: a filling ends by then. */
  readonly until: number
}

/** Bytes of the state's file; null if it is not full yet. */
export function fillServed(served: Served, fill: Fill, findings: Findings, keeping: Keeping | null): number | null {
  if (keeping === null) return fillState(served.paths, fill, findings).bytes
  mkdirSync(keeping.folder, { recursive: true })
  const state = join(keeping.folder, `${fill.moments}-${fill.contexts}.sqlite`)
  const { bytes, isWhole } = fillState({ state, lock: `${state}.lock` }, { ...fill, until: keeping.until }, findings)
  if (!isWhole) return null
  renameSync(state, served.paths.state)
  return bytes
}

export const NOT_FULL_YET = 'the state is not full yet: run the same again'
