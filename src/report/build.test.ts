import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { id, type EntryId, type RunId } from '../core/id.ts'
import type { CandidateTally, ObedienceTally, Tally } from '../state/tally.ts'
import { newReport } from './build.ts'
import type { Report } from './report.ts'

const ONE = id<EntryId>('team/one')
const TWO = id<EntryId>('team/two')
const TOLD = { since: 1_000, until: 2_000, inForce: [ONE, TWO], missed: [] }
const EMPTY: Tally = { moments: [], candidates: [], gates: [], obedience: [] }

function candidate(changes: Partial<CandidateTally>): CandidateTally {
  return { entry: ONE, run: id<RunId>('run-1'), outcome: 'served', verdict: 'shown', count: 1, bytes: 100, ...changes }
}

function reportOf(changes: Partial<Tally>): Report {
  const report = newReport()
  report.add({ ...EMPTY, ...changes })
  return report.report(TOLD)
}

describe('an entry', () => {
  test('has what was handed over, and what became of it', () => {
    const [one] = reportOf({
      candidates: [
        candidate({ count: 3, bytes: 300 }),
        candidate({ verdict: 'hidden', outcome: 'held' }),
        candidate({ verdict: 'cut', run: id<RunId>('run-2') }),
        candidate({ verdict: 'unverified', outcome: 'forbidden' }),
        candidate({ verdict: null, outcome: 'pointed' }),
        candidate({ verdict: 'delivery_unverified' }),
        candidate({ verdict: 'dropped' }),
        candidate({ outcome: 'known', verdict: null, bytes: 0, count: 7 }),
        candidate({ outcome: 'held_waiting', verdict: null, bytes: 0 }),
        candidate({ outcome: 'over_budget', verdict: null, bytes: 0, count: 2 }),
        candidate({ outcome: 'withheld', verdict: null, bytes: 0, run: id<RunId>('run-3') }),
      ],
      gates: [
        { entry: ONE, lift: 'read', count: 2 },
        { entry: ONE, lift: 'armed', count: 5 },
        { entry: ONE, lift: 'read', count: 1 },
      ],
    }).entries
    expect(one).toEqual({
      entry: ONE,
      fired: 20,
      served: 7,
      verdicts: { shown: 3, hidden: 1, cut: 1, unverified: 1, open: 1, released: 2 },
      shownShare: 0.5,
      held: 2,
      forbidden: 1,
      lifted: { read: 3 },
      leftOut: 2,
      withheld: 1,
      bytes: 600,
      runs: 2,
      bytesPerRun: 300,
      conduct: { served: { obeyed: 0, violated: 0, noOccasion: 0 }, withheld: { obeyed: 0, violated: 0, noOccasion: 0 } },
    })
  })

  test('G11: a stub beside the text of another call is no claim to be proven, and neither is what was never handed over', () => {
    const { claims } = reportOf({
      candidates: [
        candidate({ count: 4, bytes: 400 }),
        candidate({ outcome: 'held_beside', verdict: null, bytes: 0, count: 47 }),
        candidate({ verdict: 'dropped' }),
        candidate({ verdict: null }),
      ],
    })
    expect(claims).toEqual({ total: 6, shown: 4, hidden: 0, cut: 0, unverified: 0, open: 1, released: 1, provenShare: 1 })
  })

  test('has what the agent did with it, apart from what it did where it was withheld', () => {
    const obedience: ObedienceTally[] = [
      { entry: ONE, verdict: 'obeyed', withheld: false, count: 5 },
      { entry: ONE, verdict: 'violated', withheld: false, count: 1 },
      { entry: ONE, verdict: 'no_occasion', withheld: true, count: 3 },
      { entry: ONE, verdict: 'violated', withheld: true, count: 4 },
    ]
    expect(reportOf({ obedience }).entries[0]?.conduct).toEqual({
      served: { obeyed: 5, violated: 1, noOccasion: 0 },
      withheld: { obeyed: 0, violated: 4, noOccasion: 3 },
    })
  })
})

describe('the lists', () => {
  test('of entries that never fire: those in force without a moment that they matched', () => {
    expect(reportOf({ candidates: [candidate({ outcome: 'known', bytes: 0 })] }).neverFired).toEqual([TWO])
    expect(reportOf({ gates: [{ entry: ONE, lift: 'by-hand', count: 1 }] }).neverFired).toEqual([ONE, TWO])
  })

  test.each([
    [0, 1, true],
    [2, 2, true],
    [2, 1, false],
    [0, 0, false],
  ])('of entries that are ignored: %i times obeyed, %i times violated: %s', (obeyed, violated, isIgnored) => {
    const obedience: ObedienceTally[] = [
      { entry: ONE, verdict: 'obeyed', withheld: false, count: obeyed },
      { entry: ONE, verdict: 'violated', withheld: false, count: violated },
      { entry: TWO, verdict: 'violated', withheld: true, count: 9 },
    ]
    expect(reportOf({ obedience }).ignored).toEqual(isIgnored ? [ONE] : [])
  })
})

test('moments, bytes and runs of all', () => {
  const { moments, runs, bytes, bytesPerRun, since, until } = reportOf({
    moments: [
      { harness: 'claude-code', outcome: 'nothing', count: 10, bytes: 0 },
      { harness: 'claude-code', outcome: 'denied', count: 2, bytes: 200 },
      { harness: 'codex', outcome: 'denied', count: 1, bytes: 100 },
      { harness: 'codex', outcome: 'not_analysed', count: 1, bytes: 0 },
      { harness: 'codex', outcome: 'failed', count: 1, bytes: 0 },
    ],
    candidates: [candidate({}), candidate({ entry: TWO, run: id<RunId>('run-2'), bytes: 51 })],
  })
  expect(moments).toEqual({ total: 15, denied: 3, notAnalysed: 1, failed: 1 })
  expect({ runs, bytes, bytesPerRun, since, until }).toEqual({ runs: 2, bytes: 151, bytesPerRun: 76, since: 1_000, until: 2_000 })
})

test('of nothing nothing is claimed', () => {
  const report = newReport().report({ ...TOLD, inForce: [] })
  expect(report).toMatchObject({ runs: 0, bytes: 0, bytesPerRun: null, entries: [], neverFired: [], ignored: [] })
  expect(report.claims).toMatchObject({ total: 0, provenShare: null })
})

test('however the log is cut into slices, the report is the same', () => {
  const row = fc.record({
    entry: fc.constantFrom(ONE, TWO),
    run: fc.constantFrom(id<RunId>('1'), id<RunId>('2'), null),
    outcome: fc.constantFrom('served', 'held', 'known', 'withheld'),
    verdict: fc.constantFrom('shown', 'hidden', 'dropped', null),
    count: fc.integer({ min: 1, max: 5 }),
    bytes: fc.constantFrom(0, 70),
  })
  const property = fc.property(fc.array(row, { maxLength: 30 }), fc.nat(30), (rows, cut) => {
    const whole = newReport()
    whole.add({ ...EMPTY, candidates: rows })
    const sliced = newReport()
    sliced.add({ ...EMPTY, candidates: rows.slice(cut) })
    sliced.add({ ...EMPTY, candidates: rows.slice(0, cut) })
    expect(sliced.report(TOLD)).toEqual(whole.report(TOLD))
    const { claims, entries, bytes } = whole.report(TOLD)
    expect(claims.total).toBe(claims.shown + claims.hidden + claims.cut + claims.unverified + claims.open + claims.released)
    expect(bytes).toBe(entries.reduce((sum, entry) => sum + entry.bytes, 0))
  })
  fc.assert(property)
})
