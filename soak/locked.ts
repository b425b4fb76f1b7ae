/** The state is locked by another program for long, under load: every call is let through in time, and serving comes back by itself. */
import { DatabaseSync } from 'node:sqlite'
import { summary } from '../bench/statistics.ts'
import { Served, until } from '../test/faults/served.fixture.ts'
import { COMMIT, Talk } from '../test/faults/talk.fixture.ts'
import { Findings, ms, seconds } from './findings.ts'

const SESSIONS = 8

export async function lockLong(lockedMs: number): Promise<readonly string[]> {
  const findings = new Findings(`state locked for ${seconds(lockedMs)}`)
  const served = new Served({ commit: COMMIT })
  try {
    await served.start()
    const talks = Array.from({ length: SESSIONS }, (_, number) => new Talk(served, number + 1))
    for (const talk of talks) await talk.start()
    const other = new DatabaseSync(served.paths.state)
    other.exec('BEGIN IMMEDIATE')
    const end = performance.now() + lockedMs
    const times: number[] = []
    let others = 0
    await Promise.all(
      talks.map(async (talk) => {
        while (performance.now() < end) {
          const from = performance.now()
          const answer = await talk.bash('git commit')
          times.push(performance.now() - from)
          if (answer?.status !== 204) others += 1
        }
      }),
    )
    const { p50, p95, max } = summary(times)
    findings.say(`${times.length} calls while locked, as clients saw them: p50 ${ms(p50)}, p95 ${ms(p95)}, most ${ms(max)}`)
    findings.holds(others === 0, `${others} calls were not simply let through`)
    const { problems } = await served.health()
    findings.holds(
      problems.some(({ code }) => code === 'state_locked'),
      'health does not say that the state is locked',
    )
    other.exec('ROLLBACK')
    other.close()
    const from = performance.now()
    await until(
      async () => (await talks[0]?.bash('git commit'))?.decision,
      (decision) => decision === 'deny',
    )
    findings.say(`serving again ${ms(performance.now() - from)} after the lock was gone`)
    await findings.callsSince(served, 0)
    await findings.consistent(served)
    return findings.broken
  } finally {
    await served.end()
  }
}
