import { afterEach, expect, test } from 'vitest'
import { HOOK_GIVES_UP_MS, Served, until } from './served.fixture.ts'
import { COMMIT, HOUSE, OUTPUT, Talk } from './talk.fixture.ts'

const KILLS = 5
const SESSIONS = 4
/** Six starts of the server, on a machine that has other work. */
const TIMEOUT_MS = 120_000

let served: Served
afterEach(() => served.end())

test(
  'kill -9 at 5 random instants under load: nothing acknowledged is lost, nothing is inconsistent, budgets are exact',
  async () => {
    served = new Served({ commit: COMMIT, house: HOUSE, output: OUTPUT })
    const talks = Array.from({ length: SESSIONS }, (_, number) => new Talk(served, number + 1))
    const acknowledged = () => talks.flatMap((talk) => talk.acknowledged)
    for (let kill = 0; kill < KILLS; kill += 1) {
      await served.start()
      const wanted = acknowledged().length + 10 + Math.floor(Math.random() * 60)
      const killed = new AbortController()
      const work = talks.map(async (talk) => {
        if (kill === 0) await talk.start()
        while (!killed.signal.aborted) await talk.work()
      })
      await until(
        async () => acknowledged().length,
        (count) => count >= wanted,
      )
      await served.kill()
      killed.abort()
      await Promise.all(work)
    }
    await served.start()
    const rows = await served.log()
    const logged = new Set(rows.map(({ delivery }) => delivery))
    expect(acknowledged().filter((delivery) => !logged.has(delivery))).toEqual([])
    expect(Math.max(...rows.map(({ ms }) => ms.total))).toBeLessThan(HOOK_GIVES_UP_MS)
    expect(await served.stop()).toBe(0)
    expect(served.check()).toEqual([])
  },
  TIMEOUT_MS,
)
