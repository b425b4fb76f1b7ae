import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { id, type RunId, type SessionId } from '../../core/id.ts'
import type { ContextState } from '../../core/context.ts'
import { filesIn, openState, putAllAway, temporaryFolder } from './open.fixture.ts'
import { CONTEXT, RUN, SESSION, contextState, openClaim, serve } from './rows.fixture.ts'

/** Codes that `check` finds after other hands ran this. */
function codesAfter(sql: string): readonly string[] {
  const folder = temporaryFolder()
  const state = openState(folder)
  serve(state, 'd-1')
  putAllAway(state)
  {
    using other = new DatabaseSync(filesIn(folder).file)
    other.exec(sql)
  }
  return state.check().map((problem) => problem.code)
}

/** Codes that `check` finds for a context after one serve of 100 bytes (claim `d-1.1`). */
function codesFor(changes: Partial<ContextState>): readonly string[] {
  const state = openState()
  serve(state, 'd-1')
  state.update({ context: CONTEXT, session: SESSION }, () => ({ context: contextState(changes), result: null }))
  return state.check().map((problem) => problem.code)
}

describe('what other hands did', () => {
  const cases: readonly (readonly [what: string, sql: string, codes: readonly string[]])[] = [
    ['nothing', '', []],
    ['candidates without their moment', 'DELETE FROM moments', ['state_orphan_candidate']],
    ['a claim that the log does not know', 'DELETE FROM candidates', ['state_unlogged_claim']],
    ['a context that is not JSON', `UPDATE contexts SET state = '{"id":'`, ['state_unreadable_row']],
    ['a context that is no object', `UPDATE contexts SET state = 'null'`, ['state_unreadable_row']],
    ['a context of another form', `UPDATE contexts SET state = '{}'`, ['state_unreadable_row']],
    ['a thread that is not JSON', `UPDATE threads SET state = ''`, ['state_unreadable_row']],
    ['negative bytes of a moment', 'UPDATE moments SET bytes = -1', ['state_negative_bytes']],
    ['negative bytes of a candidate', 'UPDATE candidates SET bytes = -1', ['state_negative_bytes']],
    ['a wrong count of open claims', 'UPDATE contexts SET open_claims = 7', ['state_miscounted']],
  ]
  for (const [what, sql, codes] of cases) test(what, () => expect(codesAfter(sql)).toEqual(codes))
})

describe('figures over the law', () => {
  const budget = { run: RUN, epoch: 0, rules: 0, router: 0 }
  const claim = openClaim('d-1.1', 'd-1')
  const cases: readonly (readonly [what: string, changes: Partial<ContextState>, codes: readonly string[]])[] = [
    ['full budgets are lawful', { budget: { ...budget, rules: 8_000, router: 2_000 } }, []],
    ['rules over 8,000', { budget: { ...budget, rules: 8_001 } }, ['state_over_budget']],
    ['router over 2,000', { budget: { ...budget, router: 2_001 } }, ['state_over_budget']],
    ['below nothing', { budget: { ...budget, rules: -1 } }, ['state_negative_bytes']],
    ['open claims over it', { budget, claims: [claim, { ...claim, bytes: 7_901 }] }, ['state_over_budget']],
    ['claims of another run are not of this budget', { budget, claims: [claim, { ...claim, bytes: 7_901, run: id<RunId>('2') }] }, []],
    ['a negative claim', { budget: null, claims: [{ ...claim, bytes: -1 }] }, ['state_negative_bytes']],
  ]
  for (const [what, changes, codes] of cases) test(what, () => expect(codesFor(changes)).toEqual(codes))
})

test('a context whose row was broken is refused, and no other', () => {
  const folder = temporaryFolder()
  const first = openState(folder)
  serve(first, 'd-1')
  first.close()
  {
    using other = new DatabaseSync(filesIn(folder).file)
    other.exec(`UPDATE contexts SET state = '{'`)
  }
  const state = openState(folder)
  expect(() => serve(state, 'd-2')).toThrow(expect.objectContaining({ code: 'unreadable_row' }))
  const session = id<SessionId>('session-2')
  const context = contextState({ id: id('claude-code/session-2') })
  state.update({ context: context.id, session }, () => ({ context, result: null }))
  expect(state.context(context.id)).toEqual(context)
})

test('every problem says what to do and where', () => {
  const folder = temporaryFolder()
  const state = openState(folder)
  state.update({ context: CONTEXT, session: SESSION }, () => ({ context: contextState({ claims: [openClaim('c', 'd')] }), result: null }))
  expect(state.check()).toEqual([
    {
      code: 'state_unlogged_claim',
      severity: 'error',
      message: 'Claim c is open in context claude-code/session-1 and unknown in the log.',
      cure: expect.stringContaining('Move the file away'),
      file: filesIn(folder).file,
    },
  ])
})
