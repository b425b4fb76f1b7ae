import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { id, type ClaimId, type DeliveryId, type EntryId, type SessionId } from '../../core/id.ts'
import { StateError, type State } from '../../state.ts'
import { openConnection } from './connection.ts'
import { filesIn, openState, putAllAway, temporaryFolder } from './open.fixture.ts'
import { CONTEXT, SESSION, candidateRow, contextState, logMoment, momentRow, openClaim, serve, threadState } from './rows.fixture.ts'
import { openSqliteState } from './state.ts'

const AT = { context: CONTEXT, session: SESSION }

/** Rows of a table, as another connection sees them. */
function count(folder: string, table: string): number {
  using other = new DatabaseSync(filesIn(folder).file, { readOnly: true })
  return Number(other.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count'])
}

/** All that anyone can ask of it. */
function seen(state: State): unknown {
  return {
    context: state.context(CONTEXT),
    origin: state.contextOf(id<DeliveryId>('d-7')),
    replay: state.update({ ...AT, delivery: id<DeliveryId>('d-7') }, ({ replay, thread }) => ({ result: [replay, thread] })),
    claimed: state.claimed([id<ClaimId>('d-7.1')]),
    open: state.contexts({ withOpenClaims: true }),
    threads: state.threads({ limit: 5 }),
    log: state.log({}),
  }
}

describe('what waits', () => {
  test('is told as what is put away: nobody sees a difference', () => {
    const [waits, putAway] = [openState(), openState()]
    for (const state of [waits, putAway]) {
      for (let number = 1; number <= 20; number += 1) {
        serve(state, `d-${number}`, 1_000 + number)
        if (state === putAway) putAllAway(state)
      }
    }
    expect(waits.context(CONTEXT)).toEqual(putAway.context(CONTEXT))
    expect(seen(waits)).toEqual(seen(putAway))
    expect(waits.totals()).toEqual(putAway.totals())
    expect([waits.check(), putAway.check()]).toEqual([[], []])
  })

  test('is committed: a process that ends without a word loses none of it', () => {
    const folder = temporaryFolder()
    const { file, lockFile } = filesIn(folder)
    const first = openState(folder)
    serve(first, 'd-1')
    expect([count(folder, 'backlog'), count(folder, 'moments')]).toEqual([1, 0])
    // as it stands on disk now, under another name
    using copied = new DatabaseSync(file)
    copied.exec(`VACUUM INTO '${file}-copy'`)
    const second = openSqliteState({ file: `${file}-copy`, lockFile: `${lockFile}-copy`, now: () => 1_000 })
    expect(second.context(CONTEXT)).toEqual(first.context(CONTEXT))
    expect(second.contextOf(id<DeliveryId>('d-1'))).toEqual(AT)
    expect(() => serve(second, 'd-1')).not.toThrow()
    expect(second.log({}).map((row) => row.delivery)).toEqual(['d-1'])
    expect([second.totals().moments, second.check()]).toEqual([{}, []])
    second.close()
  })

  test('is put away when the state is closed, and before it is too much', () => {
    const folder = temporaryFolder()
    const state = openSqliteState({ ...filesIn(folder), now: () => 1_000 })
    for (let number = 0; number < 600; number += 1) logMoment(state, momentRow(`d-${number}`))
    expect(count(folder, 'backlog')).toBeLessThanOrEqual(512)
    state.close()
    expect([count(folder, 'backlog'), count(folder, 'moments')]).toEqual([0, 600])
  })

  test('a gate that lifts between two moments is told with the last one of its context, put away or not', () => {
    const state = openState()
    const gate = (at: number) => ({ context: CONTEXT, entry: id<EntryId>('team/commits'), lift: 'read' as const, at })
    logMoment(state, momentRow('other', { session: id<SessionId>('s-2') }), id('claude-code/s-2'))
    serve(state, 'd-1')
    state.update(AT, () => ({ gates: [gate(1)], result: null }))
    putAllAway(state)
    state.update(AT, () => ({ gates: [gate(2)], result: null }))
    expect(state.log({}).map((row) => row.gates.map(({ at }) => at))).toEqual([[], [1, 2]])
  })

  test('what no table takes is told once, and stands in the way of nothing else', () => {
    const state = openState()
    logMoment(state, momentRow('d-1'))
    logMoment(state, momentRow('broken', { bytes: Number.NaN }))
    logMoment(state, momentRow('d-2'))
    expect(() => state.log({})).toThrow(StateError)
    expect(state.log({}).map((row) => row.delivery)).toEqual(['d-1', 'd-2'])
    expect(state.check()).toEqual([])
  })

  test('S1: a row that other hands broke is passed over', () => {
    const folder = temporaryFolder()
    const first = openSqliteState({ ...filesIn(folder), now: () => 1_000 })
    first.close()
    {
      using other = new DatabaseSync(filesIn(folder).file)
      const broken = ['{"steps":', 'null', '{}', '{"steps":1,"contexts":2,"threads":3}', '{"steps":[null],"contexts":[],"threads":[]}']
      const states = ['{"steps":[],"contexts":[["c",null]],"threads":[]}', '{"steps":[],"contexts":[],"threads":[["s",{}]]}']
      for (const text of [...broken, ...states]) other.prepare('INSERT INTO backlog (steps) VALUES (?)').run(text)
    }
    const state = openState(folder)
    serve(state, 'd-1')
    putAllAway(state)
    expect(count(folder, 'backlog')).toBe(0)
    expect(state.log({})).toHaveLength(1)
  })
})

describe('gathered', () => {
  test('steps see each other, and are one row', () => {
    const folder = temporaryFolder()
    const state = openState(folder)
    const commit = state.gather()
    for (let number = 1; number <= 48; number += 1) {
      state.update({ ...AT, delivery: id<DeliveryId>(`d-${number}`) }, ({ context }) => ({
        context: contextState({ seq: (context?.seq ?? 0) + 1 }),
        thread: threadState(),
        moment: momentRow(`d-${number}`, { outcome: 'denied' }),
        result: null,
      }))
    }
    expect(count(folder, 'backlog')).toBe(0)
    commit()
    expect(count(folder, 'backlog')).toBe(1)
    expect(state.context(CONTEXT)?.seq).toBe(48)
    expect(state.threads({ limit: 1 })).toMatchObject([{ moments: 48, denied: 48 }])
  })

  test('listeners hear of it once it is committed', () => {
    const state = openState()
    let heard = 0
    state.onLog(() => heard++)
    const commit = state.gather()
    serve(state, 'd-1')
    serve(state, 'd-2')
    expect(heard).toBe(0)
    commit()
    expect(heard).toBe(1)
  })

  test('the log may be read meanwhile: what was gathered so far is committed for it', () => {
    const state = openState()
    const commit = state.gather()
    serve(state, 'd-1')
    expect(state.log({})).toHaveLength(1)
    serve(state, 'd-2')
    commit()
    expect(state.log({})).toHaveLength(2)
  })

  test('if one can not be written, none was', () => {
    const folder = temporaryFolder()
    const state = openState(folder)
    serve(state, 'd-0')
    putAllAway(state)
    using other = new DatabaseSync(filesIn(folder).file)
    other.exec('BEGIN IMMEDIATE')
    const commit = state.gather()
    for (const delivery of ['d-1', 'd-2']) expect(() => serve(state, delivery)).toThrow(expect.objectContaining({ code: 'locked' }))
    expect(commit).toThrow(expect.objectContaining({ code: 'locked' }))
    other.exec('ROLLBACK')
    expect(state.context(CONTEXT)?.claims.map((claim) => claim.delivery)).toEqual(['d-0'])
    expect(state.contextOf(id<DeliveryId>('d-1'))).toBeNull()
    expect(state.log({}).map((row) => row.delivery)).toEqual(['d-0'])
  })

  test('nothing to write needs no lock of the file', () => {
    const folder = temporaryFolder()
    const state = openState(folder)
    state.update(AT, () => ({ context: contextState({ claims: [openClaim('c', 'd')] }), result: null }))
    using other = new DatabaseSync(filesIn(folder).file)
    other.exec('BEGIN IMMEDIATE')
    expect(state.update(AT, ({ context }) => ({ result: context?.claims.length }))).toBe(1)
    other.exec('ROLLBACK')
    logMoment(state, momentRow('d', { candidates: [candidateRow({ claim: id<ClaimId>('c') })] }))
  })
})

test('what is committed outlives the process and the machine: the file has a write-ahead log, and the disk is waited for', () => {
  const { file, lockFile } = filesIn(temporaryFolder())
  const open = openConnection(file, lockFile)
  const pragma = (database: DatabaseSync, name: string): unknown => database.prepare(`PRAGMA ${name}`).get()?.[name]
  try {
    using other = new DatabaseSync(file)
    // 1: NORMAL, as sqlite.org/pragma.html has it
    expect([pragma(open.database, 'journal_mode'), pragma(other, 'journal_mode'), pragma(open.database, 'synchronous')]).toEqual([
      'wal',
      'wal',
      1,
    ])
  } finally {
    open.close()
  }
})
