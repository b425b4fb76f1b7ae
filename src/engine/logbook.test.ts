import { describe, expect, test } from 'vitest'
import { id, type EntryId, type ThreadId } from '../core/id.ts'
import { openState } from '../state/sqlite/open.fixture.ts'
import { candidateRow, logMoment, momentRow, serve } from '../state/sqlite/rows.fixture.ts'
import type { State } from '../state.ts'
import { openLogbook, type Logbook } from './logbook.ts'

const COMMITS = id<EntryId>('team/commits')

function logbookOf(state: State | null): { readonly logbook: Logbook; readonly sweeps: () => number } {
  let sweeps = 0
  const logbook = openLogbook({
    state: () => state,
    checkFile: async () => state?.check() ?? [],
    sweep: () => void sweeps++,
    entriesInForce: () => [COMMITS, id<EntryId>('team/unused')],
    now: () => 9_000,
  })
  return { logbook, sweeps: () => sweeps }
}

/** How often the event loop came by while the work went on. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await work
  isDone = true
  return turns
}

describe('over a long log', () => {
  const MANY = 1_700

  function longLog(): State {
    const state = openState()
    for (let number = 1; number <= MANY; number++) logMoment(state, momentRow(`d-${number}`, { candidates: [candidateRow()] }))
    return state
  }

  test('rows are those of the state, in either direction, and other work goes on between its pages', async () => {
    const state = longLog()
    const { logbook, sweeps } = logbookOf(state)
    for (const filter of [{ newest: true }, { after: 5 }, { newest: true, entry: COMMITS }]) {
      const rows = logbook.log({ ...filter, limit: 550 })
      expect(await turnsDuring(rows)).toBeGreaterThan(2)
      expect(await rows).toEqual(state.log({ ...filter, limit: 550 }))
    }
    expect(sweeps()).toBe(3)
  })

  test('a report is of every row, and other work goes on between its slices', async () => {
    const { logbook } = logbookOf(longLog())
    const report = logbook.report(0)
    expect(await turnsDuring(report)).toBeGreaterThan(0)
    const { moments, entries, neverFired, until } = await report
    expect({ total: moments.total, fired: entries[0]?.fired, neverFired, until }).toEqual({
      total: MANY,
      fired: MANY,
      neverFired: ['team/unused'],
      until: 9_000,
    })
  })

  test('a thread is forgotten whole, and other work goes on meanwhile', async () => {
    const state = longLog()
    const { logbook } = logbookOf(state)
    const forgotten = logbook.forget(id<ThreadId>('thread-1'))
    expect(await turnsDuring(forgotten)).toBeGreaterThan(2)
    expect(await forgotten).toBe(true)
    expect(await logbook.log({ limit: 10 })).toEqual([])
    expect(await logbook.check()).toEqual([])
  })
})

test('nothing is forgotten of a thread that is not known', async () => {
  const state = openState()
  serve(state, 'd-1')
  expect(await logbookOf(state).logbook.forget(id<ThreadId>('thread-2'))).toBe(false)
  expect(state.threads({ limit: 2 })).toHaveLength(1)
})

test('without a state every answer is empty', async () => {
  const { logbook } = logbookOf(null)
  expect(await logbook.log({ limit: 5 })).toEqual([])
  expect(await logbook.report(0)).toMatchObject({ moments: { total: 0 }, entries: [], missed: [] })
  expect([logbook.threads(5), await logbook.forget(id<ThreadId>('t')), await logbook.check(), logbook.totals()]).toEqual([
    [],
    false,
    [],
    null,
  ])
})
