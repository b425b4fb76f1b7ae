import { describe, expect, test } from 'vitest'
import { id, type ClaimId, type DeliveryId, type EntryId, type SessionId, type ThreadId } from '../../core/id.ts'
import type { Before } from '../../state.ts'
import { openState } from './open.fixture.ts'
import { CONTEXT, SESSION, candidateRow, contextState, logMoment, momentRow, openClaim, serve, threadState } from './rows.fixture.ts'

const AT = { context: CONTEXT, session: SESSION }

describe('update', () => {
  test('gives nothing for an unknown context, and next time what was written', () => {
    const state = openState()
    const seen: Before[] = []
    for (const seq of [1, 2]) {
      state.update(AT, (before) => {
        seen.push(before)
        return { context: contextState({ seq }), thread: threadState({ runs: seq }), result: null }
      })
    }
    expect(seen).toEqual([
      { context: null, thread: null, replay: null },
      { context: contextState({ seq: 1 }), thread: threadState({ runs: 1 }), replay: null },
    ])
    expect(state.context(CONTEXT)).toEqual(contextState({ seq: 2 }))
  })

  test('gives what the step gives', () => {
    expect(openState().update(AT, () => ({ result: 'the reply' }))).toBe('the reply')
  })

  test('a step that throws writes nothing, and its own error comes out', () => {
    const state = openState()
    expect(() =>
      state.update(AT, () => {
        throw new RangeError('a bug')
      }),
    ).toThrow(RangeError)
    serve(state, 'd-1')
    expect(state.log({})).toHaveLength(1)
  })

  test('a claim that is logged twice has one row', () => {
    const state = openState()
    const twice = candidateRow({ claim: id<ClaimId>('c.1') })
    logMoment(state, momentRow('d-1', { candidates: [twice, twice] }))
    expect(state.log({})[0]?.candidates).toHaveLength(1)
  })

  test('T1: the second of two with one delivery id is given the first answer and changes nothing', () => {
    const state = openState()
    serve(state, 'd-1')
    const before = [state.context(CONTEXT), state.log({})]
    const replay = state.update({ ...AT, delivery: id<DeliveryId>('d-1') }, ({ replay }) => ({
      context: contextState({ seq: 99 }),
      thread: threadState({ runs: 99 }),
      moment: momentRow('d-1', { outcome: 'denied' }),
      claims: [{ claim: id<ClaimId>('d-1.1'), verdict: 'hidden', why: null, at: 2_000 }],
      gates: [{ context: CONTEXT, entry: id<EntryId>('team/commits'), lift: 'read', at: 2_000 }],
      result: replay,
    }))
    expect(replay).toEqual({ answer: 'answer to d-1', at: 1_000 })
    expect([state.context(CONTEXT), state.log({})]).toEqual(before)
  })

  test('a replay of an empty answer is a replay', () => {
    const state = openState()
    logMoment(state, momentRow('d-1'))
    expect(state.update({ ...AT, delivery: id<DeliveryId>('d-1') }, ({ replay }) => ({ result: replay }))).toEqual({
      answer: null,
      at: 1_000,
    })
  })

  test('G7: a claim is judged once; the first verdict stays', () => {
    const state = openState()
    serve(state, 'd-1')
    for (const verdict of ['hidden', 'shown'] as const) {
      state.update(AT, () => ({ claims: [{ claim: id<ClaimId>('d-1.1'), verdict, why: 'said so', at: 2_000 }], result: null }))
    }
    expect(state.log({})[0]?.candidates[0]).toMatchObject({ outcome: 'hidden', atMoment: 'served', verdictAt: 2_000, why: 'said so' })
  })
})

describe('log', () => {
  test('gives a moment as it was written, with candidates in their order and gates', () => {
    const state = openState()
    const candidates = [candidateRow({ entry: id<EntryId>('z') }), candidateRow({ entry: id<EntryId>('a'), item: 2 })]
    const gate = { context: CONTEXT, entry: id<EntryId>('a'), lift: 'read' as const, at: 1_000 }
    const row = momentRow('d-1', { candidates, why: 'a fixed text', answer: 'never in the log' })
    state.update(AT, () => ({ moment: row, gates: [gate], result: null }))
    const { answer: _, ...logged } = row
    const completed = candidates.map((each) => Object.assign({}, each, { atMoment: 'known', verdictAt: null, why: null }))
    expect(state.log({})).toEqual([Object.assign({}, logged, { number: 1, candidates: completed, gates: [gate] })])
  })

  test('a gate that lifts between two moments is told with the last moment of its own context', () => {
    const state = openState()
    serve(state, 'd-1')
    logMoment(state, momentRow('other', { session: id<SessionId>('session-2') }), id('claude-code/session-2'))
    const gate = { context: CONTEXT, entry: id<EntryId>('team/commits'), lift: 'by-hand' as const, at: 3_000 }
    state.update(AT, () => ({ gates: [gate], result: null }))
    expect(state.log({}).map((row) => row.gates)).toEqual([[gate], []])
  })

  test('filters', () => {
    const state = openState()
    logMoment(state, momentRow('d-1', { at: 1_000, candidates: [candidateRow({ entry: id<EntryId>('one') })] }))
    logMoment(state, momentRow('d-2', { at: 2_000, thread: id<ThreadId>('thread-2'), outcome: 'denied' }))
    logMoment(state, momentRow('d-3', { at: 3_000, harness: 'codex' }))
    serve(state, 'd-4', 4_000)
    serve(state, 'd-5', 5_000)
    const found = (filter: Parameters<typeof state.log>[0]): readonly string[] => state.log(filter).map((row) => row.delivery)
    expect(found({ thread: id<ThreadId>('thread-2') })).toEqual(['d-2'])
    expect(found({ harness: 'codex' })).toEqual(['d-3'])
    expect(found({ entry: id<EntryId>('one') })).toEqual(['d-1'])
    expect(found({ since: 4_000 })).toEqual(['d-4', 'd-5'])
    expect(found({ after: 3 })).toEqual(['d-4', 'd-5'])
    expect(found({ newest: true, limit: 2 })).toEqual(['d-5', 'd-4'])
    expect(found({ limit: 2 })).toEqual(['d-1', 'd-2'])
    expect(found({ outcome: 'denied' })).toEqual(['d-2'])
    expect(found({ outcome: 'known' })).toEqual(['d-1'])
    expect(found({ outcome: 'shown' })).toEqual(['d-4'])
    expect(found({ outcome: 'served' })).toEqual(['d-4', 'd-5'])
    expect(found({ outcome: "' OR 1 --" })).toEqual([])
    expect(found({ outcome: 'served', newest: true, since: 1_500, after: 1, harness: 'claude-code' })).toEqual(['d-5', 'd-4'])
  })

  test('listeners hear of rows that were written or completed, until they stop', () => {
    const state = openState()
    let heard = 0
    const stop = state.onLog(() => heard++)
    serve(state, 'd-1')
    state.update(AT, () => ({ context: contextState(), result: null }))
    state.update(AT, () => ({ claims: [{ claim: id<ClaimId>('d-1.1'), verdict: 'shown', why: null, at: 1 }], result: null }))
    stop()
    serve(state, 'd-2')
    expect(heard).toBe(2)
  })
})

describe('looking up', () => {
  test('contexts by open claims, session and time; all that is named must hold', () => {
    const state = openState()
    const put = (session: string, seenAt: number, claims: number): void => {
      const context = contextState({
        id: id(`claude-code/${session}`),
        seenAt,
        claims: Array.from({ length: claims }, () => openClaim('c', 'd')),
      })
      state.update({ context: context.id, session: id<SessionId>(session) }, () => ({ context, result: null }))
    }
    put('one', 1_000, 1)
    put('two', 2_000, 0)
    put('three', 3_000, 2)
    expect(state.contexts({})).toEqual(['claude-code/one', 'claude-code/three', 'claude-code/two'])
    expect(state.contexts({ withOpenClaims: true })).toEqual(['claude-code/one', 'claude-code/three'])
    expect(state.contexts({ seenSince: 2_000 })).toEqual(['claude-code/three', 'claude-code/two'])
    expect(state.contexts({ session: id<SessionId>('two') })).toEqual(['claude-code/two'])
    expect(state.contexts({ withOpenClaims: true, seenSince: 2_000 })).toEqual(['claude-code/three'])
  })

  test('the context of a delivery, and the entries of claims; unknown ones are left out', () => {
    const state = openState()
    serve(state, 'd-1')
    expect(state.contextOf(id<DeliveryId>('d-1'))).toEqual({ context: CONTEXT, session: SESSION })
    expect(state.contextOf(id<DeliveryId>('d-'))).toBeNull()
    const entryHash = 'a'.repeat(64)
    expect(state.claimed([id<ClaimId>('d-1.1'), id<ClaimId>('d-1'), id<ClaimId>('%')])).toEqual([
      { claim: 'd-1.1', entry: 'team/commits', entryHash, form: 'text' },
    ])
  })

  test('settings', () => {
    const state = openState()
    expect(state.setting('off')).toBeNull()
    state.setSetting('off', '')
    state.setSetting('off', 'until 5')
    expect(state.setting('off')).toBe('until 5')
    state.setSetting('off', null)
    expect(state.setting('off')).toBeNull()
  })
})
