/** A state with very many contexts and rows, under load: its size, and what a moment takes. */
import { Served } from '../test/faults/served.fixture.ts'
import { COMMIT, HOUSE, OUTPUT, Talk } from '../test/faults/talk.fixture.ts'
import { fillServed, NOT_FULL_YET, type Keeping } from './filled.ts'
import { Findings, megabytes, ms, seconds } from './findings.ts'

const SESSIONS = 8
const TURNS = 60
/** A moment and its candidate. */
const ROWS_A_MOMENT = 2

export async function serveLarge(rows: number, contexts: number, keeping: Keeping | null): Promise<readonly string[]> {
  const findings = new Findings(`${contexts} contexts and ${rows} log rows`)
  const served = new Served({ commit: COMMIT, house: HOUSE, output: OUTPUT })
  try {
    const moments = Math.ceil(rows / ROWS_A_MOMENT)
    const bytes = fillServed(served, { moments, contexts }, findings, keeping)
    if (bytes === null) return [NOT_FULL_YET]
    findings.say(`file ${megabytes(bytes)}, ${(bytes / moments).toFixed(0)} bytes a moment with its candidate and its share of contexts`)
    const from = performance.now()
    await served.start()
    findings.say(`started in ${seconds(performance.now() - from)}`)
    const talks = Array.from({ length: SESSIONS }, (_, number) => new Talk(served, 1_000_001 + number))
    await Promise.all(
      talks.map(async (talk) => {
        await talk.start()
        for (let turn = 0; turn < TURNS; turn += 1) await talk.work()
      }),
    )
    const p95 = await findings.callsSince(served, moments)
    findings.say(`p95 ${ms(p95)} with ${SESSIONS} sessions at once`)
    await findings.consistent(served)
    return findings.broken
  } finally {
    await served.end()
  }
}
