import { expect, test } from 'vitest'
import { id, type ClaimId, type EntryId } from '../../core/id.ts'
import { openState } from './open.fixture.ts'
import { CONTEXT, SESSION, logMoment, momentRow, serve } from './rows.fixture.ts'

const AT = { context: CONTEXT, session: SESSION }
const shown = (claim: string) => ({ claim: id<ClaimId>(claim), verdict: 'shown' as const, why: null, at: 1 })
const lifted = { context: CONTEXT, entry: id<EntryId>('team/commits'), lift: 'shown' as const, at: 7 }

test('rows that a verdict or a gate completed are told by number, each once, from where the last answer ended', () => {
  const state = openState()
  const { next: start } = state.completed(null)
  for (const number of [1, 2, 3]) logMoment(state, momentRow(`d-${number}`))
  serve(state, 'd-4')
  expect(state.completed(start)).toMatchObject({ moments: [] })
  state.update(AT, () => ({ claims: [shown('d-4.1')], gates: [lifted], result: null }))
  const { moments, next } = state.completed(start)
  expect(moments).toEqual([4])
  expect(state.completed(next)).toEqual({ moments: [], next })
  // each claim is judged once
  state.update(AT, () => ({ claims: [shown('d-4.1'), shown('unknown.1')], result: null }))
  expect(state.completed(next).moments).toEqual([])
  // from now on
  expect(state.completed(null).moments).toEqual([])
  expect(state.completed(start).moments).toEqual([4])
})

test('the claims that a moment judges are those of earlier rows, and its gates are its own', () => {
  const state = openState()
  const { next } = state.completed(null)
  serve(state, 'd-1')
  serve(state, 'd-2')
  state.update({ ...AT, delivery: id('d-3') }, () => ({ moment: momentRow('d-3'), gates: [lifted], result: null }))
  expect(state.completed(next).moments).toEqual([1])
})

test('of more than are kept the last ones are told', () => {
  const state = openState()
  const { next } = state.completed(null)
  logMoment(state, momentRow('d-1'))
  serve(state, 'd-2')
  state.update(AT, () => ({ claims: [shown('d-2.1')], result: null }))
  logMoment(state, momentRow('d-3'))
  const gates = Array.from({ length: 4_500 }, (_, at) => ({ ...lifted, at: 100 + at }))
  state.update(AT, () => ({ gates, result: null }))
  expect(state.completed(next).moments).toEqual([3])
})
