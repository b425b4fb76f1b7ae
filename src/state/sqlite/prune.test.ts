import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { contextIdOf, id, type ClaimId, type DeliveryId, type EntryId, type SessionId } from '../../core/id.ts'
import type { State } from '../../state.ts'
import { filesIn, openState, temporaryFolder } from './open.fixture.ts'
import { CONTEXT, RUN, SESSION, candidateRow, contextState, logMoment, momentRow, openClaim, serve, threadState } from './rows.fixture.ts'

function replayOf(state: State, delivery: string): unknown {
  return state.update({ context: CONTEXT, session: SESSION, delivery: id<DeliveryId>(delivery) }, ({ replay }) => ({ result: replay }))
}

function pruneAll(state: State, before: { readonly answers: number; readonly log: number }): number {
  let slices = 1
  while (state.prune(before)) slices++
  return slices
}

test('answers are emptied, their moments stay', () => {
  const state = openState()
  serve(state, 'old', 1_000)
  serve(state, 'new', 2_000)
  expect(state.prune({ answers: 2_000, log: 0 })).toBe(false)
  expect([replayOf(state, 'old'), replayOf(state, 'new')]).toMatchObject([{ answer: null }, { answer: 'answer to new' }])
})

test('log rows of before go with their candidates and gates, a slice at a time', () => {
  const folder = temporaryFolder()
  const state = openState(folder)
  const candidates = Array.from({ length: 3 }, (_, n) => candidateRow({ entry: id<EntryId>(`e-${n}`) }))
  for (let number = 0; number < 400; number++) {
    const gates = [{ context: CONTEXT, entry: id<EntryId>('e-1'), lift: 'read' as const, at: number }]
    const moment = momentRow(`d-${number}`, { at: number, candidates })
    state.update({ context: CONTEXT, session: SESSION }, () => ({ moment, gates, result: null }))
  }
  expect(pruneAll(state, { answers: 0, log: 300 })).toBeGreaterThan(4)
  expect(state.log({}).map((row) => [row.at, row.candidates.length, row.gates.length])).toEqual(
    Array.from({ length: 100 }, (_, n) => [300 + n, 3, 1]),
  )
  expect(rowsIn(folder)).toEqual({ moments: 100, candidates: 300, gates: 100, contexts: 0, threads: 0, obedience: 0 })
  expect(state.check()).toEqual([])
})

test('a moment with more candidates than a slice goes too', () => {
  const state = openState()
  logMoment(state, momentRow('wide', { candidates: Array.from({ length: 1_200 }, () => candidateRow()) }))
  logMoment(state, momentRow('next', { at: 2_000 }))
  expect(pruneAll(state, { answers: 0, log: 2_000 })).toBeGreaterThan(3)
  expect(state.log({}).map((row) => row.delivery)).toEqual(['next'])
})

test('contexts and threads that were not seen since go; a thread stays while its session has a context', () => {
  const folder = temporaryFolder()
  const clock = { now: 1_000 }
  const state = openState(folder, clock)
  for (const [name, seenAt] of [
    ['gone', 1_000],
    ['here', 5_000],
  ] as const) {
    const session = id<SessionId>(name)
    const context = contextState({ id: contextIdOf('claude-code', session, null), seenAt })
    state.update({ context: context.id, session }, () => ({ context, thread: threadState({ session }), result: null }))
  }
  state.prune({ answers: 0, log: 5_000 })
  expect(state.contexts({})).toEqual(['claude-code/here'])
  expect(rowsIn(folder)).toMatchObject({ contexts: 1, threads: 1 })
})

test('the rows of an open claim stay, and so does the newest moment, so that no number comes twice', () => {
  const state = openState()
  serve(state, 'open')
  const later = contextState({ seenAt: 9_000, claims: [openClaim('open.1', 'open')] })
  state.update({ context: CONTEXT, session: SESSION }, () => ({ context: later, result: null }))
  const other = { session: id<SessionId>('other'), context: contextIdOf('claude-code', id<SessionId>('other'), null) }
  logMoment(state, momentRow('old', other))
  logMoment(state, momentRow('newest', other))
  expect(pruneAll(state, { answers: 0, log: 5_000 })).toBe(1)
  expect(state.log({}).map((row) => row.delivery)).toEqual(['open', 'newest'])
  expect(state.check()).toEqual([])
})

test('of more moments than are kept the oldest go, whatever their age', () => {
  const state = openState()
  for (let number = 1; number <= 300; number++) logMoment(state, momentRow(`d-${number}`, { at: 9_000, candidates: [candidateRow()] }))
  while (state.prune({ answers: 0, log: 0, rows: 40 }));
  expect(state.log({}).map((row) => row.number)).toEqual(Array.from({ length: 40 }, (_, n) => 261 + n))
  expect(state.check()).toEqual([])
  expect(state.prune({ answers: 0, log: 0, rows: 40 })).toBe(false)
})

test('of a file that is too large the oldest moments go until it is small enough, and never for ever', () => {
  const state = openState()
  for (let number = 1; number <= 400; number++) logMoment(state, momentRow(`d-${number}`, { at: 9_000, answer: 'x'.repeat(2_000) }))
  const bytes = state.size() / 2
  while (state.prune({ answers: 0, log: 0, bytes }));
  const left = state.log({}).map((row) => row.number)
  expect(state.size()).toBeLessThanOrEqual(bytes)
  expect(left).toEqual(Array.from({ length: left.length }, (_, n) => 400 - left.length + 1 + n))
  expect(left.length).toBeGreaterThan(100)
  while (state.prune({ answers: 0, log: 0, bytes: 1 }));
  expect(state.log({}).map((row) => row.number)).toEqual([400])
})

test('obedience goes with its time, and so do gates that no moment holds', () => {
  const folder = temporaryFolder()
  const state = openState(folder)
  for (const at of [1_000, 5_000]) {
    const gates = [{ context: CONTEXT, entry: id<EntryId>('e'), lift: 'by-hand' as const, at }]
    const obedience = [{ claim: id<ClaimId>(`c-${at}`), entry: id<EntryId>('e'), run: RUN, verdict: 'obeyed' as const, at }]
    state.update({ context: CONTEXT, session: SESSION }, () => ({ gates, obedience, result: null }))
  }
  state.prune({ answers: 0, log: 5_000 })
  expect(rowsIn(folder)).toMatchObject({ gates: 1, obedience: 1 })
})

test('an empty state has nothing to do', () => {
  expect(openState().prune({ answers: 1, log: 1 })).toBe(false)
})

function rowsIn(folder: string): Record<string, number> {
  using database = new DatabaseSync(filesIn(folder).file, { readOnly: true })
  const tables = ['moments', 'candidates', 'gates', 'contexts', 'threads', 'obedience']
  return Object.fromEntries(tables.map((table) => [table, Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])]))
}
