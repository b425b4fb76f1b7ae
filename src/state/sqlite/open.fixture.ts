/** A state in a folder of its own, with a clock that the test moves. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { State } from '../../state.ts'
import { openSqliteState } from './state.ts'

export interface Clock {
  now: number
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function filesIn(folder: string): { readonly file: string; readonly lockFile: string } {
  return { file: join(folder, 'data', 'contextmd.sqlite'), lockFile: join(folder, 'data', 'server.lock') }
}

/** All that was committed stands in its tables, where other hands can reach it. */
export function putAllAway(state: State): void {
  while (state.putAway());
}

/** Closed when the test is over. */
export function openState(folder = temporaryFolder(), clock: Clock = { now: 1_000 }): State {
  const state = openSqliteState({ ...filesIn(folder), now: () => clock.now })
  onTestFinished(() => state.close())
  return state
}
