/** Laws of the state over random histories, compared with a plain model of it. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contextIdOf, id, type ContextId, type DeliveryId, type SessionId } from '../../core/id.ts'
import { openSqliteState } from './state.ts'
import { filesIn, openState, temporaryFolder } from './open.fixture.ts'
import { candidateRow, contextState, momentRow, openClaim } from './rows.fixture.ts'

const SESSIONS = ['one', 'two', 'three']

const move = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('moment'),
      session: fc.constantFrom(...SESSIONS),
      delivery: fc.nat(15),
      throws: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'reopen' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'checkpoint' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'putAway' } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: 'gather' } as const) },
)

test('T1: whatever the history, each delivery is logged once with its first answer, contexts count it once, check is empty', () => {
  const folder = temporaryFolder()
  let life = 0
  const property = fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
    life++
    const files = filesIn(`${folder}/${life}`)
    let state = openSqliteState({ ...files, now: () => 1_000 })
    const nothing = (): void => {}
    let commit: () => void = nothing
    const answers = new Map<string, string>()
    const counts = new Map<ContextId, number>()
    for (const [index, each] of moves.entries()) {
      // a turn of the event loop ends with anything else but a moment
      if (each.kind !== 'moment') {
        commit()
        commit = nothing
      }
      if (each.kind === 'checkpoint') state.checkpoint()
      else if (each.kind === 'putAway') state.putAway()
      else if (each.kind === 'gather') commit = state.gather()
      else if (each.kind === 'reopen') {
        state.close()
        state = openSqliteState({ ...files, now: () => 1_000 })
      } else if ('session' in each) {
        const session = id<SessionId>(each.session)
        const context = contextIdOf('claude-code', session, null)
        const delivery = id<DeliveryId>(`${context}/d-${each.delivery}`)
        const claim = openClaim(`${delivery}.1`, delivery)
        const serve = (): string =>
          state.update({ context, session, delivery }, (before) => {
            if (before.replay !== null) return { result: before.replay.answer ?? '' }
            if (each.throws) throw new RangeError('a bug')
            const answer = `answer ${index}`
            const seq = (before.context?.seq ?? 0) + 1
            return {
              context: { ...(before.context ?? contextState({ id: context })), seq, claims: [claim] },
              moment: momentRow(delivery, { context, session, answer, candidates: [candidateRow({ claim: claim.id, outcome: 'served' })] }),
              result: answer,
            }
          })
        const known = answers.get(delivery)
        if (known === undefined && each.throws) expect(serve).toThrow(RangeError)
        else if (known !== undefined) expect(serve()).toBe(known)
        else {
          answers.set(delivery, serve())
          counts.set(context, (counts.get(context) ?? 0) + 1)
        }
      }
    }
    commit()
    expect(state.log({}).map((row) => row.delivery)).toEqual([...answers.keys()])
    for (const [context, count] of counts) expect(state.context(context)?.seq).toBe(count)
    expect(state.check()).toEqual([])
    state.close()
  })
  fc.assert(property, { numRuns: 25 })
})

test('any text comes back as it was: in ids, answers, settings', () => {
  const state = openState()
  const text = fc.string({ unit: fc.constantFrom('a', '\0', '\n', "'", '"', '%', 'ä', '—', '𝕏', '\u2028'), minLength: 1, maxLength: 12 })
  const property = fc.property(text, text, (name, value) => {
    state.setSetting(name, value)
    expect(state.setting(name)).toBe(value)
    const at = { context: id<ContextId>(name), session: id<SessionId>(name), delivery: id<DeliveryId>(name) }
    state.update(at, ({ replay }) => ({ ...(replay === null && { moment: momentRow(name, { answer: name }) }), result: null }))
    expect(state.update(at, ({ replay }) => ({ result: replay }))).toMatchObject({ answer: name })
  })
  fc.assert(property, { numRuns: 60 })
})
