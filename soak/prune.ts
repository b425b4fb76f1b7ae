/** Old rows go while the server serves: how long that takes, and how long it holds up the event loop. */
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import { Served } from '../test/faults/served.fixture.ts'
import { COMMIT, HOUSE, OUTPUT, Talk } from '../test/faults/talk.fixture.ts'
import { fillServed, NOT_FULL_YET, type Keeping } from './filled.ts'
import { Findings, megabytes, seconds } from './findings.ts'

const CONTEXTS = 1_000
/** Moments that are too many. */
const SHARE_TO_GO = 0.1
/** Between two turns of an agent's work. */
const PAUSE_MS = 50
/** The server prunes once a minute. What is not gone by then does not go. */
const LONGEST_MS = 10 * 60_000

export async function pruneLarge(moments: number, keeping: Keeping | null): Promise<readonly string[]> {
  const findings = new Findings(`pruning of ${Math.round(SHARE_TO_GO * 100)} in 100 of ${moments} moments`)
  const served = new Served({ commit: COMMIT, house: HOUSE, output: OUTPUT })
  try {
    const bytes = fillServed(served, { moments, contexts: CONTEXTS }, findings, keeping)
    if (bytes === null) return [NOT_FULL_YET]
    const rows = Math.round(moments * (1 - SHARE_TO_GO))
    writeFileSync(served.paths.serving, JSON.stringify({ stores: [{ name: 'rules', folder: served.rules }], log: { rows } }))
    await served.start()
    const talk = new Talk(served, 1_000_001)
    await talk.start()
    const from = performance.now()
    let begun: number | null = null
    while (performance.now() - from < LONGEST_MS) {
      await talk.work()
      await pause(PAUSE_MS)
      const oldest = oldestOf(served)
      if (oldest > 1) begun ??= performance.now()
      if (oldest > moments - rows) break
    }
    findings.holds(oldestOf(served) > moments - rows, 'it was not done in ten minutes')
    findings.say(`file ${megabytes(bytes)}; the rows were gone ${seconds(performance.now() - (begun ?? from))} after the first of them`)
    await findings.callsSince(served, moments)
    await findings.consistent(served)
    return findings.broken
  } finally {
    await served.end()
  }
}

function oldestOf({ paths }: Served): number {
  using database = new DatabaseSync(paths.state, { readOnly: true })
  return Number(database.prepare('SELECT min(number) AS oldest FROM moments').get()?.['oldest'])
}
