/** Filters of the log over random logs, compared with looking at every row. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { id, type DeliveryId, type EntryId, type HarnessName, type ThreadId } from '../../core/id.ts'
import type { MomentOutcome, Outcome } from '../../core/outcome.ts'
import type { LogFilter, LoggedMoment, State } from '../../state.ts'
import { openState } from './open.fixture.ts'
import { CONTEXT, SESSION, candidateRow, logMoment, momentRow } from './rows.fixture.ts'

const ENTRIES = ['one', 'two', 'three'].map((name) => id<EntryId>(name))
const THREADS = ['thread-1', 'thread-2'].map((name) => id<ThreadId>(name))
const HARNESSES: readonly HarnessName[] = ['claude-code', 'grok']
const MOMENTS: readonly MomentOutcome[] = ['nothing', 'served', 'denied']
const OUTCOMES: readonly Outcome[] = ['served', 'known', 'held']

const moment = fc.record({
  thread: fc.constantFrom(...THREADS, null),
  harness: fc.constantFrom(...HARNESSES),
  outcome: fc.constantFrom(...MOMENTS),
  // the clock goes back by a little now and then
  at: fc.nat(50),
  candidates: fc.array(fc.record({ entry: fc.constantFrom(...ENTRIES), outcome: fc.constantFrom(...OUTCOMES) }), { maxLength: 3 }),
  isHidden: fc.boolean(),
})
const filter = fc.record(
  {
    thread: fc.constantFrom(...THREADS),
    entry: fc.constantFrom(...ENTRIES),
    outcome: fc.constantFrom(...MOMENTS, ...OUTCOMES, 'hidden', 'cut'),
    harness: fc.constantFrom(...HARNESSES),
    since: fc.nat(60),
    after: fc.nat(30),
    newest: fc.boolean(),
    limit: fc.integer({ min: 0, max: 12 }),
  },
  { requiredKeys: [] },
)

test('whatever the log and the filter, the rows are those of which all holds, in their order', () => {
  let life = 0
  const property = fc.property(
    fc.array(moment, { maxLength: 25 }),
    fc.array(filter, { minLength: 4, maxLength: 8 }),
    (moments, filters) => {
      const state = openState()
      for (const { isHidden, ...each } of moments) {
        const name = `d-${life++}`
        const candidates = each.candidates.map((row, position) =>
          candidateRow({ ...row, claim: row.outcome === 'served' ? id(`${name}.${position}`) : null }),
        )
        logMoment(state, momentRow(name, { ...each, candidates }))
        if (!isHidden) continue
        const claims = candidates.flatMap(({ claim }) => (claim === null ? [] : [{ claim, verdict: 'hidden' as const, why: null, at: 1 }]))
        state.update({ context: CONTEXT, session: SESSION }, () => ({ claims, result: null }))
      }
      const all = state.log({})
      expect(all.map((row) => row.number)).toEqual(moments.map((_, index) => index + 1))
      for (const each of filters) expect(state.log(each)).toEqual(byHand(all, each))
      state.close()
    },
  )
  fc.assert(property, { numRuns: 30 })
})

/** The slow, obvious way. */
function byHand(all: readonly LoggedMoment[], wanted: LogFilter): readonly LoggedMoment[] {
  const { thread, entry, outcome, harness, since = 0, after = 0, newest = false, limit = 1_000 } = wanted
  const hasOutcome = (row: LoggedMoment): boolean =>
    row.outcome === outcome ||
    row.candidates.some(
      (each) => (entry === undefined || each.entry === entry) && [each.outcome, each.atMoment].includes(outcome as Outcome),
    )
  const found = all.filter(
    (row) =>
      (thread === undefined || row.thread === thread) &&
      (entry === undefined || row.candidates.some((each) => each.entry === entry)) &&
      (outcome === undefined || hasOutcome(row)) &&
      (harness === undefined || row.harness === harness) &&
      row.at >= since &&
      row.number > after,
  )
  return (newest ? found.toReversed() : found).slice(0, limit)
}

describe('a page', () => {
  const MANY = 1_200
  const RARE = id<EntryId>('rare')

  /** Two entries that never meet, by turns; the last moment has both. */
  function longLog(): State {
    const state = openState()
    for (let number = 1; number <= MANY; number++) {
      const entries = number === MANY ? [ENTRIES[0], RARE] : [number % 2 === 0 ? ENTRIES[0] : RARE]
      const candidates = entries.map((entry) => candidateRow({ entry: entry ?? RARE, outcome: entry === RARE ? 'held' : 'known' }))
      logMoment(state, momentRow(`d-${number}`, { delivery: id<DeliveryId>(`d-${number}`), candidates }))
    }
    return state
  }

  test('ends after a short time, says where to go on, and nothing is passed over, in both directions', () => {
    const state = longLog()
    const wanted: LogFilter = { entry: ENTRIES[0] ?? RARE, outcome: 'held' }
    for (const newest of [false, true]) {
      const found: number[] = []
      let pages = 0
      let next: number | null = null
      do {
        const place: object = next === null ? {} : newest ? { before: next } : { after: next }
        const page = state.logPage({ ...wanted, newest, ...place })
        found.push(...page.rows.map((row) => row.number))
        next = page.next
        pages++
      } while (next !== null)
      expect(pages).toBeGreaterThan(1)
      // of the entry asked for, "held" was the outcome at no moment
      expect(found).toEqual([])
    }
    expect(state.log({ entry: RARE, outcome: 'held', newest: true, limit: 1 }).map((row) => row.number)).toEqual([MANY])
    expect(state.log({ limit: 2_000 })).toHaveLength(MANY)
    expect(state.log({ newest: true, limit: 250 }).map((row) => row.number)).toEqual(Array.from({ length: 250 }, (_, n) => MANY - n))
  })
})
