import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { contextIdOf, id, type AgentId, type ClaimId, type DeliveryId, type EntryId, type SessionId, type ThreadId } from '../../core/id.ts'
import type { State } from '../../state.ts'
import { filesIn, openState, putAllAway, temporaryFolder } from './open.fixture.ts'
import { candidateRow, contextState, momentRow, openClaim, threadState } from './rows.fixture.ts'

/** A thread with all that can belong to one: open and judged claims, gates between moments, a subagent, moments without a thread. */
function fill(state: State, name: string, moments: number): ThreadId {
  const session = id<SessionId>(`session-${name}`)
  const thread = id<ThreadId>(`thread-${name}`)
  for (let number = 0; number < moments; number++) {
    const context = contextIdOf('claude-code', session, number % 5 === 4 ? id<AgentId>('helper') : null)
    const delivery = id<DeliveryId>(`${name}-${number}`)
    const claim = openClaim(`${name}-${number}.1`, delivery)
    const gate = { context, entry: claim.entry, lift: 'read' as const, at: number }
    state.update({ context, session, delivery }, ({ context: before }) => ({
      context: { ...(before ?? contextState({ id: context })), claims: [claim] },
      thread: threadState({ session, thread }),
      moment: momentRow(delivery, {
        context,
        session,
        thread: number === 0 ? null : thread,
        outcome: 'denied',
        bytes: 100,
        candidates: number === 0 ? [] : [candidateRow({ outcome: 'served', claim: claim.id, bytes: 100 })],
        answer: `answer ${name}`,
      }),
      gates: [gate],
      result: null,
    }))
    state.update({ context, session }, () => ({
      ...(number < moments - 1 && { claims: [{ claim: claim.id, verdict: 'shown' as const, why: null, at: number }] }),
      gates: [gate],
      obedience: [{ claim: claim.id, entry: claim.entry, run: claim.run, verdict: 'obeyed' as const, at: number }],
      result: null,
    }))
  }
  return thread
}

/** Every value of every table that names the thread, its session or a delivery of it. */
function traces(folder: string, name: string): readonly string[] {
  using database = new DatabaseSync(filesIn(folder).file, { readOnly: true })
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  return tables.flatMap(({ name: table }) =>
    database
      .prepare(`SELECT * FROM "${String(table)}"`)
      .all()
      .flatMap((row) => Object.entries(row).map(([column, value]) => `${String(table)}.${column} ${String(value)}`))
      .filter((text) => text.includes(name)),
  )
}

function forgetAll(state: State, thread: ThreadId): number {
  let slices = 1
  while (state.forget(thread)) {
    slices++
    expect(state.check()).toEqual([])
  }
  return slices
}

test('nothing that names the thread is left, what others have stays, and every step on the way is whole', () => {
  const folder = temporaryFolder()
  const state = openState(folder)
  const gone = fill(state, 'gone', 60)
  fill(state, 'stays', 20)
  putAllAway(state)
  expect(traces(folder, 'gone').length).toBeGreaterThan(100)
  const before = traces(folder, 'stays')
  expect(forgetAll(state, gone)).toBeGreaterThan(2)
  expect(traces(folder, 'gone')).toEqual([])
  expect(traces(folder, 'stays')).toEqual(before)
  expect(state.check()).toEqual([])
  expect(state.threads({ limit: 10 }).map((row) => row.thread)).toEqual(['thread-stays'])
})

test('numbers of forgotten moments are given to no others, also after a restart', () => {
  const folder = temporaryFolder()
  const state = openState(folder)
  const gone = fill(state, 'gone', 5)
  forgetAll(state, gone)
  state.close()
  const again = openState(folder)
  fill(again, 'later', 2)
  expect(again.log({}).map((row) => row.number)).toEqual([6, 7])
  expect(again.log({ after: 5 })).toHaveLength(2)
})

test('the thread goes on as a new one; what nobody knows is forgotten at once', () => {
  const state = openState()
  const thread = fill(state, 'one', 3)
  forgetAll(state, thread)
  fill(state, 'one', 2)
  expect(state.threads({ thread, limit: 1 })).toMatchObject([{ moments: 2, denied: 2, bytes: 200 }])
  expect(state.forget(id<ThreadId>("thread-' OR 1 --"))).toBe(false)
  expect(state.threads({ limit: 10 })).toHaveLength(1)
})

test('a judgement that comes after the forgetting changes nothing', () => {
  const state = openState()
  const thread = fill(state, 'one', 2)
  forgetAll(state, thread)
  const claims = [{ claim: id<ClaimId>('one-1.1'), verdict: 'shown' as const, why: null, at: 9 }]
  state.update({ context: id('claude-code/session-one'), session: id('session-one') }, ({ context }) => {
    expect(context).toBeNull()
    return { claims, result: null }
  })
  expect(state.totals().verdicts).toEqual({})
  expect(state.log({ entry: id<EntryId>('team/commits') })).toEqual([])
})
