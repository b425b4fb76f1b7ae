/**
 * One contract for every harness: the same cases through its real hooks against a real server, without the program itself.
 *
 * What only the program can show (that a text stands whole in what the model is sent) is the canary's. A harness that can't keep a case
 * excuses it, by name, with a reason and a date.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDesk, type Desk } from './desk.fixture.ts'
import type { Driver, DriverOf } from './driver.fixture.ts'
import { CASES, type CaseName } from './cases.fixture.ts'

export interface Excuse {
  readonly since: string
  readonly why: string
}

/** Some dozens of processes one after the other, on a machine that may do much else. */
const TIMEOUT_MS = 180_000

export interface Contract {
  readonly driver: DriverOf
  readonly excused?: Readonly<Partial<Record<CaseName, Excuse>>>
  /** Only these: for another way to post, where the first way has shown the rest. */
  readonly only?: readonly CaseName[]
}

export function describeHarness(title: string, { driver, excused = {}, only }: Contract): void {
  describe(title, () => {
    let desk: Desk
    let own: Driver
    let sessions = 0
    beforeAll(async () => {
      desk = await openDesk()
      own = driver(desk)
    }, TIMEOUT_MS)
    afterAll(() => desk.close(), TIMEOUT_MS)

    // The keys of the table are its names: that is their type.
    for (const name of Object.keys(CASES) as CaseName[]) {
      if (only !== undefined && !only.includes(name)) continue
      const excuse = excused[name]
      if (excuse !== undefined) {
        test.skip(`${name} (excused ${excuse.since}: ${excuse.why})`, () => {})
        continue
      }
      test(
        name,
        async () => {
          await CASES[name]({ desk, driver: own, session: `00000000-0000-7000-8000-${String((sessions += 1)).padStart(12, '0')}` })
          expect(desk.mishaps).toEqual([])
        },
        TIMEOUT_MS,
      )
    }
  })
}
