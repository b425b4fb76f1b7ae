/** kill -9 at random instants under load, as many times as wanted: nothing acknowledged is lost, budgets are exact. */
import { Served, until } from '../test/faults/served.fixture.ts'
import { COMMIT, HOUSE, OUTPUT, Talk } from '../test/faults/talk.fixture.ts'
import { Findings, seconds } from './findings.ts'

const SESSIONS = 8
/** Answers between two kills: at least, and how many more by chance. */
const ANSWERS = 10
const MORE_ANSWERS = 150

export async function killOften(kills: number): Promise<readonly string[]> {
  const findings = new Findings(`kill -9, ${kills} times`)
  const served = new Served({ commit: COMMIT, house: HOUSE, output: OUTPUT })
  try {
    const talks = Array.from({ length: SESSIONS }, (_, number) => new Talk(served, number + 1))
    const acknowledged = () => talks.flatMap((talk) => talk.acknowledged)
    let slowest = 0
    for (let kill = 1; kill <= kills; kill += 1) {
      const from = performance.now()
      await served.start()
      slowest = Math.max(slowest, performance.now() - from)
      await workUntilKilled(served, talks, () => acknowledged().length)
      if (kill % 10 === 0) findings.say(`${kill} kills, ${acknowledged().length} calls answered`)
    }
    await served.start()
    const logged = new Set((await served.log()).map(({ delivery }) => delivery))
    const lost = acknowledged().filter((delivery) => !logged.has(delivery))
    findings.say(`${acknowledged().length} calls answered, ${lost.length} of them not in the log; slowest start ${seconds(slowest)}`)
    findings.holds(lost.length === 0, `lost: ${lost.slice(0, 5).join(', ')}`)
    await findings.callsSince(served, 0)
    await findings.consistent(served)
    return findings.broken
  } finally {
    await served.end()
  }
}

async function workUntilKilled(served: Served, talks: readonly Talk[], answered: () => number): Promise<void> {
  const killed = new AbortController()
  const work = talks.map(async (talk) => {
    while (!killed.signal.aborted) await talk.work()
  })
  const wanted = answered() + ANSWERS + Math.floor(Math.random() * MORE_ANSWERS)
  await until(
    async () => answered(),
    (count) => count >= wanted,
  )
  await served.kill()
  killed.abort()
  await Promise.all(work)
}
