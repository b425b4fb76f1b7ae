/** Sums for reports and metrics: tallies, threads, missed moments, totals, obedience. */
import { describe, expect, test } from 'vitest'
import { contextIdOf, id, type ClaimId, type EntryId, type RunId, type SessionId, type ThreadId } from '../../core/id.ts'
import type { State, Tally, TallyCursor } from '../../state.ts'
import { openState, temporaryFolder } from './open.fixture.ts'
import { CONTEXT, RUN, SESSION, candidateRow, logMoment, momentRow, serve, threadState } from './rows.fixture.ts'

const AT = { context: CONTEXT, session: SESSION }
const COMMITS = id<EntryId>('team/commits')

function tallies(state: State, since: number): { readonly slices: number; readonly all: readonly Tally[] } {
  const all: Tally[] = []
  let cursor: TallyCursor | null = null
  do {
    const { tally, next }: ReturnType<State['tally']> = state.tally(since, cursor)
    all.push(tally)
    cursor = next
  } while (cursor !== null)
  return { slices: all.length, all }
}

describe('tally', () => {
  test('sums what agrees, from a time on', () => {
    const state = openState()
    serve(state, 'early', 1_000)
    serve(state, 'd-1', 5_000)
    serve(state, 'd-2', 6_000)
    state.update(AT, () => ({ gates: [{ context: CONTEXT, entry: COMMITS, lift: 'read', at: 6_500 }], result: null }))
    expect(tallies(state, 5_000).all).toEqual([
      {
        moments: [{ harness: 'claude-code', outcome: 'served', count: 2, bytes: 200 }],
        candidates: [
          { entry: COMMITS, run: RUN, outcome: 'served', verdict: null, count: 1, bytes: 100 },
          { entry: COMMITS, run: RUN, outcome: 'served', verdict: 'shown', count: 1, bytes: 100 },
        ],
        gates: [{ entry: COMMITS, lift: 'read', count: 1 }],
        obedience: [],
      },
    ])
  })

  test('of a long log comes in slices; together they hold every row once', () => {
    const state = openState()
    for (let number = 0; number < 1_600; number++) logMoment(state, momentRow(`d-${number}`, { candidates: [candidateRow()] }))
    const { slices, all } = tallies(state, 0)
    expect(slices).toBe(3)
    const count = (rows: readonly { readonly count: number }[]): number => rows.reduce((sum, row) => sum + row.count, 0)
    expect([count(all.flatMap((tally) => tally.moments)), count(all.flatMap((tally) => tally.candidates))]).toEqual([1_600, 1_600])
  })

  test('of an empty log is empty', () => {
    expect(tallies(openState(), 0)).toEqual({ slices: 1, all: [{ moments: [], candidates: [], gates: [], obedience: [] }] })
  })
})

test('of the rows of one claim the latest stands', () => {
  const state = openState()
  serve(state, 'd-1')
  for (const [verdict, at] of [
    ['no_occasion', 1_000],
    ['violated', 2_000],
  ] as const) {
    const row = { claim: id<ClaimId>('d-1.1'), entry: COMMITS, run: RUN, verdict, at }
    state.update(AT, () => ({ obedience: [row], result: null }))
  }
  expect(tallies(state, 0).all[0]?.obedience).toEqual([{ entry: COMMITS, verdict: 'violated', withheld: false, count: 1 }])
  expect(tallies(state, 2_001).all[0]?.obedience).toEqual([])
  expect(state.check()).toEqual([])
})

test('threads are listed by their own counters, the one seen last first; several sessions of one are one', () => {
  const clock = { now: 1_000 }
  const state = openState(temporaryFolder(), clock)
  const put = (session: string, thread: string, runs: number, outcome: 'denied' | 'served'): void => {
    clock.now += 1_000
    const ids = { session: id<SessionId>(session), thread: id<ThreadId>(thread) }
    const context = contextIdOf('codex', ids.session, null)
    const moment = momentRow(`d-${clock.now}`, { ...ids, context, harness: 'codex', outcome, bytes: 50, run: id<RunId>('r') })
    state.update({ context, session: ids.session }, () => ({ thread: threadState({ ...ids, runs }), moment, result: null }))
  }
  put('s1', 'one', 1, 'served')
  put('s2', 'two', 1, 'denied')
  put('s1', 'one', 2, 'denied')
  put('s3', 'two', 4, 'served')
  expect(state.threads({ limit: 10 })).toEqual([
    { thread: 'two', harness: 'codex', sessions: 2, seenAt: 5_000, runs: 4, moments: 2, denied: 1, bytes: 100 },
    { thread: 'one', harness: 'codex', sessions: 1, seenAt: 4_000, runs: 2, moments: 2, denied: 1, bytes: 100 },
  ])
  expect(state.threads({ limit: 1 }).map(({ thread }) => thread)).toEqual(['two'])
  expect(state.threads({ thread: id<ThreadId>('one'), limit: 1 }).map(({ thread }) => thread)).toEqual(['one'])
  expect(state.threads({ thread: id<ThreadId>('none'), limit: 1 })).toEqual([])
})

test('a thread keeps its counts when its log rows are gone', () => {
  const state = openState()
  for (let number = 0; number < 3; number++) serve(state, `d-${number}`, 9_000)
  while (state.prune({ answers: 0, log: 0, rows: 1 }));
  expect(state.log({})).toHaveLength(1)
  expect(state.threads({ limit: 1 })).toMatchObject([{ moments: 3, bytes: 300 }])
})

test('S8: what the harness let pass is counted by day, harness and cause, and survives a restart', () => {
  const folder = temporaryFolder()
  const state = openState(folder)
  const day = (date: string): number => Date.parse(`${date}T12:00:00Z`)
  state.countMissed('claude-code', 'timed-out', day('2026-05-01'))
  state.countMissed('claude-code', 'timed-out', day('2026-05-02'))
  state.countMissed('claude-code', 'timed-out', day('2026-05-02'))
  state.countMissed('codex', 'ran-although-denied', day('2026-05-02'))
  for (const times of [100, 20]) state.countMissed('codex', 'refused', day('2026-05-02'), times)
  state.close()
  const again = openState(folder)
  expect(again.missed(day('2026-05-02'))).toEqual([
    { harness: 'claude-code', cause: 'timed-out', count: 2 },
    { harness: 'codex', cause: 'ran-although-denied', count: 1 },
    { harness: 'codex', cause: 'refused', count: 120 },
  ])
  expect(again.missed(0)[0]?.count).toBe(3)
  expect(again.missed(Number.MAX_SAFE_INTEGER)).toHaveLength(3)
})

test('totals count what was written since the opening, and what was repeated not at all', () => {
  const state = openState()
  serve(state, 'd-1')
  serve(state, 'd-2')
  serve(state, 'd-2')
  for (let twice = 0; twice < 2; twice++) {
    const claims = [{ claim: id<ClaimId>('d-2.1'), verdict: 'cut' as const, why: null, at: 1 }]
    state.update(AT, () => ({ claims, gates: [{ context: CONTEXT, entry: COMMITS, lift: 'armed', at: 1 }], result: null }))
  }
  expect(state.totals()).toEqual({
    moments: { served: 2 },
    verdicts: { shown: 1, cut: 1 },
    lifts: { armed: 2 },
    obedience: {},
    bytes: 200,
  })
})
