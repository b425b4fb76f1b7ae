import fc from 'fast-check'
import { expect, test } from 'vitest'
import { id, type EntryId, type HarnessName, type ThreadId } from '../core/id.ts'
import type { MomentOutcome, Outcome } from '../core/outcome.ts'
import { openState } from '../state/sqlite/open.fixture.ts'
import { CONTEXT, SESSION, candidateRow, logMoment, momentRow } from '../state/sqlite/rows.fixture.ts'
import { matches } from './log-matches.ts'

const entry = fc.constantFrom(...['one', 'two'].map((name) => id<EntryId>(name)))
const thread = fc.constantFrom(...['t-1', 't-2'].map((name) => id<ThreadId>(name)))
const harness = fc.constantFrom<HarnessName>('claude-code', 'grok')
const ofMoment = fc.constantFrom<MomentOutcome>('nothing', 'served', 'denied')
const ofCandidate = fc.constantFrom<Outcome>('served', 'known', 'held')

const rows = fc.array(
  fc.record({
    thread: fc.option(thread),
    harness,
    outcome: ofMoment,
    candidates: fc.array(fc.record({ entry, outcome: ofCandidate }), { maxLength: 3 }),
    isShown: fc.boolean(),
  }),
  { maxLength: 15 },
)
const filter = fc.record(
  { thread, entry, harness, outcome: fc.oneof(ofMoment, ofCandidate, fc.constant('shown')), since: fc.nat(20) },
  { requiredKeys: [] },
)

test('a row matches exactly where the state finds it by the filter', () => {
  fc.assert(
    fc.property(rows, fc.array(filter, { minLength: 5, maxLength: 5 }), (moments, filters) => {
      const state = openState()
      for (const [at, { isShown, ...moment }] of moments.entries()) {
        const claims = moment.candidates.map((_, position) => id<never>(`c-${at}.${position}`))
        const candidates = moment.candidates.map((row, position) => candidateRow({ ...row, claim: claims[position] ?? null }))
        logMoment(state, momentRow(`d-${at}`, { ...moment, at, candidates }))
        const judged = claims.map((claim) => ({ claim, verdict: 'shown' as const, why: null, at }))
        if (isShown) state.update({ context: CONTEXT, session: SESSION }, () => ({ claims: judged, result: null }))
      }
      const all = state.log({})
      for (const each of filters) expect(all.filter((row) => matches(row, each))).toEqual(state.log(each))
      state.close()
    }),
    { numRuns: 25 },
  )
})
