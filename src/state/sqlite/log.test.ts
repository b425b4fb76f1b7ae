/** Filters of the log over random logs, compared with looking at every row. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { id, type EntryId, type HarnessName, type ThreadId } from '../../core/id.ts'
import type { MomentOutcome, Outcome } from '../../core/outcome.ts'
import type { LogFilter, LoggedMoment, LogPage, State } from '../../state.ts'
import { openConnection } from './connection.ts'
import { goOn, readPage } from './log.ts'
import { filesIn, openState, temporaryFolder } from './open.fixture.ts'
import { CONTEXT, SESSION, candidateRow, logMoment, momentRow } from './rows.fixture.ts'

const ENTRIES = ['one', 'two', 'three'].map((name) => id<EntryId>(name))
const THREADS = ['thread-1', 'thread-2'].map((name) => id<ThreadId>(name))
const HARNESSES: readonly HarnessName[] = ['claude-code', 'grok']
const MOMENTS: readonly MomentOutcome[] = ['nothing', 'served', 'denied']
const OUTCOMES: readonly Outcome[] = ['served', 'known', 'held']

const moments = fc.array(
  fc.record({
    thread: fc.constantFrom(...THREADS, null),
    harness: fc.constantFrom(...HARNESSES),
    outcome: fc.constantFrom(...MOMENTS),
    // the clock goes back now and then
    at: fc.nat(50),
    candidates: fc.array(fc.record({ entry: fc.constantFrom(...ENTRIES), outcome: fc.constantFrom(...OUTCOMES) }), { maxLength: 3 }),
    isHidden: fc.boolean(),
  }),
  { maxLength: 25 },
)
type RandomMoments = typeof moments extends fc.Arbitrary<infer M> ? M : never

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
const filters = fc.array(filter, { minLength: 4, maxLength: 8 })

function fill(state: State, rows: RandomMoments): void {
  for (const [number, { isHidden, ...each }] of rows.entries()) {
    const name = `d-${number}`
    const candidates = each.candidates.map((row, position) =>
      candidateRow({ ...row, claim: row.outcome === 'served' ? id(`${name}.${position}`) : null }),
    )
    logMoment(state, momentRow(name, { ...each, candidates }))
    if (!isHidden) continue
    const claims = candidates.flatMap(({ claim }) => (claim === null ? [] : [{ claim, verdict: 'hidden' as const, why: null, at: 1 }]))
    state.update({ context: CONTEXT, session: SESSION }, () => ({ claims, result: null }))
  }
}

/** The slow, obvious way. */
function byHand(all: readonly LoggedMoment[], wanted: LogFilter): readonly LoggedMoment[] {
  const { thread, entry, outcome, harness, since = 0, after = 0, newest = false, limit = 1_000 } = wanted
  const hasOutcome = (row: LoggedMoment): boolean =>
    row.outcome === outcome ||
    row.candidates.some(
      (each) => (entry === undefined || each.entry === entry) && [each.outcome, each.atMoment].some((known) => known === outcome),
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

test('whatever the log and the filter, the rows are those of which all holds, in their order', () => {
  const property = fc.property(moments, filters, (rows, wanted) => {
    const state = openState()
    fill(state, rows)
    const all = state.log({})
    expect(all.map((row) => row.number)).toEqual(rows.map((_, index) => index + 1))
    for (const each of wanted) expect(state.log(each)).toEqual(byHand(all, each))
    state.close()
  })
  fc.assert(property, { numRuns: 25 })
})

describe('a page', () => {
  test('that grew tired says where to go on: however soon it does, all pages together are the whole answer', () => {
    const folder = temporaryFolder()
    let life = 0
    const property = fc.property(moments, filters, fc.integer({ min: 5, max: 9 }), (rows, wanted, leaps) => {
      const place = `${folder}/${life++}`
      const state = openState(place)
      fill(state, rows)
      const all = state.log({})
      state.close()
      const { file, lockFile } = filesIn(place)
      const open = openConnection(file, lockFile)
      for (const { limit: _, ...each } of wanted) {
        const found: LoggedMoment[] = []
        let next: number | null = null
        do {
          const page: LogPage = readPage(open, next === null ? each : goOn(each, next), leaps)
          found.push(...page.rows)
          next = page.next
        } while (next !== null)
        expect(found).toEqual(byHand(all, each))
      }
      open.close()
    })
    fc.assert(property, { numRuns: 25 })
  })

  test('of two conditions that never meet ends after a short time', () => {
    const state = openState()
    const [one, rare] = [id<EntryId>('one'), id<EntryId>('rare')]
    for (let number = 1; number <= 1_200; number++) {
      const entry = number % 2 === 0 ? one : rare
      logMoment(state, momentRow(`d-${number}`, { candidates: [candidateRow({ entry, outcome: entry === rare ? 'held' : 'known' })] }))
    }
    for (const newest of [false, true]) {
      const { rows, next } = state.logPage({ entry: one, outcome: 'held', newest })
      expect(rows).toEqual([])
      expect(next).not.toBeNull()
    }
    expect(state.log({ entry: one, outcome: 'held' })).toEqual([])
    expect(state.log({ limit: 2_000 })).toHaveLength(1_200)
    expect(state.log({ newest: true, limit: 250 }).map((row) => row.number)).toEqual(Array.from({ length: 250 }, (_, n) => 1_200 - n))
  })
})
