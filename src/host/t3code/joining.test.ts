import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { id, type AgentId, type HarnessName } from '../../core/id.ts'
import type { Host, Joining, ThreadState } from '../../host.ts'
import { DatabaseFile } from './database-file.ts'
import { t3codeHost } from './t3code.ts'
import { GENERATIONS, momentOf, SAMPLE_ROWS, World, type Generation } from './world.fixture.ts'

function hostOf(world: World, more: { inside?: boolean; servesOthers?: () => boolean } = {}): Host {
  const { inside = false, ...others } = more
  return t3codeHost({ rows: new DatabaseFile(world.file), inside, now: () => 0, name: world.file, ...others })
}

/** The joining in short: its state, with thread, run and attempt where it has them. */
function short(joining: Joining): string {
  return [
    joining.state,
    ...('run' in joining ? [joining.thread, joining.run] : []),
    ...('attempt' in joining ? [joining.attempt] : []),
  ].join(' ')
}

/** Joins one moment after the other, as the engine does. */
function follow(host: Host, session: string, more: Parameters<typeof momentOf>[1] = {}) {
  let before: ThreadState | null = null
  return {
    thread: () => before,
    join(again: Parameters<typeof momentOf>[1] = {}): string {
      const { joining, thread } = host.join(momentOf(session, { ...more, ...again }), before)
      before = thread ?? before
      return short(joining)
    },
    rolledBack: () => host.join(momentOf(session, more), before).rolledBack,
  }
}

const SAMPLE: readonly (readonly [session: string, harness: HarnessName, joining: string])[] = [
  ['S-JOIN', 'claude-code', 'joined T-JOIN R-JOIN A-JOIN'],
  ['S-OLD', 'codex', 'joined T-OLD R-OLD A-OLD'],
  ['S-STEER', 'grok', 'joined T-STEER R-STEER A-STEER-2'],
  ['S-GAP', 'grok', 'unjoined'],
  ['S-DONE', 'opencode', 'unjoined'],
  ['S-TWO', 'claude-code', 'ambiguous'],
  ['S-DUP', 'opencode', 'joined T-DUP R-DUP A-DUP'],
  ['S-CHILD', 'codex', 'joined T-JOIN R-JOIN A-JOIN'],
  ['S-OTHER', 'codex', 'standalone codex/S-OTHER codex/S-OTHER#1'],
]

describe.each(Object.keys(GENERATIONS) as Generation[])('the sample rows, %s', (generation) => {
  // the index stands on the path of newer hosts; an older host has no row with it
  describe.each([false, true])('with the index: %s', (hasIndex) => {
    test.each(SAMPLE)('%s of %s: %s', (session, harness, expected) => {
      const world = new World(generation, { rows: SAMPLE_ROWS })
      if (hasIndex) world.index()
      expect(follow(hostOf(world), session, { harness }).join()).toBe(expected)
    })
  })
})

describe.each([
  ['release', false],
  ['release', true],
  ['preview', false],
  ['fork', false],
  ['preview', true],
] as const)('joining, %s, with the index: %s', (generation, hasIndex) => {
  function begin() {
    const world = new World(generation)
    if (hasIndex) world.index()
    world.attempt({ id: 'other', session: 'other', status: 'completed' })
    return { world, host: hostOf(world) }
  }

  test('a session that no host has recorded is a plain terminal, and runs as one', () => {
    const { host } = begin()
    const session = follow(host, 'S')
    expect(session.join()).toBe('standalone claude-code/S claude-code/S#1')
    expect(session.join({ kind: 'stop' })).toBe('standalone claude-code/S claude-code/S#1')
    expect(session.join()).toBe('standalone claude-code/S claude-code/S#2')
  })

  test('an attempt that starts late joins; its state moves along from where it stood alone', () => {
    const { world, host } = begin()
    const session = follow(host, 'S')
    expect(session.join()).toMatch(/^standalone/)
    world.attempt({ id: 'a', session: 'S' })
    expect(session.join()).toBe('joined T-S R-S a')
    expect(session.thread()).toMatchObject({ moved: { from: 'claude-code/S#1', to: 'R-S' }, runs: 1 })
  })

  test('a pending attempt is not joined; its start is', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S', status: 'pending', runStatus: 'starting' })
    const session = follow(host, 'S')
    expect(session.join({ kind: 'session-start', source: 'startup' })).toBe('unjoined')
    expect(session.thread()).toBeNull()
    world.attemptIs('a', 'running')
    expect(session.join()).toBe('joined T-S R-S a')
    expect(session.thread()?.moved).toBeUndefined()
  })

  test('in the gap of a steering restart it is judged on its last run, and joined to the successor', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a1', session: 'S', harness: 'grok' })
    const session = follow(host, 'S', { harness: 'grok' })
    expect(session.join()).toBe('joined T-S R-S a1')
    world.attemptIs('a1', 'superseded')
    expect(session.join()).toBe('unjoined T-S R-S')
    world.attempt({ id: 'a2', session: 'S', harness: 'grok', ordinal: 2, status: 'pending', reason: 'steering_restart' })
    expect(session.join()).toBe('unjoined T-S R-S')
    world.attemptIs('a2', 'running')
    expect(session.join()).toBe('joined T-S R-S a2')
    expect(session.thread()?.runs).toBe(1)
  })

  test('one that was never joined is served nothing in that gap', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a1', session: 'S', status: 'superseded' })
    world.attempt({ id: 'a2', session: 'S', ordinal: 2, status: 'pending' })
    expect(follow(host, 'S').join()).toBe('unjoined')
  })

  test.each(['completed', 'interrupted', 'failed', 'cancelled'])('after its attempt is %s it is unjoined', (status) => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S' })
    const session = follow(host, 'S')
    expect(session.join()).toBe('joined T-S R-S a')
    world.attemptIs('a', status)
    expect(session.join()).toBe('unjoined')
  })

  test('the next run of the thread is another run', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S' })
    const session = follow(host, 'S')
    session.join()
    world.attemptIs('a', 'completed')
    world.attempt({ id: 'b', session: 'S', run: 'R-2' })
    expect(session.join()).toBe('joined T-S R-2 b')
    expect(session.thread()?.runs).toBe(2)
  })

  test('two running attempts are ambiguous until one of them ends', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S' })
    const session = follow(host, 'S')
    expect(session.join()).toBe('joined T-S R-S a')
    world.attempt({ id: 'b', session: 'S', thread: 'T-2', run: 'R-2', providerThread: 'PT-2' })
    expect(session.join()).toBe('ambiguous')
    world.attemptIs('a', 'interrupted')
    expect(session.join()).toBe('joined T-2 R-2 b')
  })

  test('many provider threads of one session are one attempt', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S', harness: 'opencode', providerThread: 'pending:run:1' })
    world.providerThread({ id: 'PT-real', session: 'S', harness: 'opencode', thread: 'T-S' })
    expect(follow(host, 'S', { harness: 'opencode' }).join()).toBe('joined T-S R-S a')
  })

  test('R6: ids are compared by equality: no prefix, no suffix, no wildcard, no case', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'abc_1%' })
    for (const other of ['abc_1', 'bc_1%', 'abcx1%', 'abc_1%2', '%', 'ABC_1%', '', "abc_1%' OR 1=1 --"]) {
      expect(follow(host, other).join(), other).toMatch(/^standalone/)
    }
    expect(follow(host, 'abc_1%').join()).toBe('joined T-abc_1% R-abc_1% a')
  })

  test('a session of another harness with the same id is not joined', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S', harness: 'codex' })
    expect(follow(host, 'S', { harness: 'claude-code' }).join()).not.toMatch(/^joined/)
    expect(follow(host, 'S', { harness: 'codex' }).join()).toBe('joined T-S R-S a')
  })

  test('an attempt of another harness that carries the same id hides none that carries no id', () => {
    const { world, host } = begin()
    world.attempt({ id: 'carries', session: 'S', harness: 'claude-code', run: 'R-2', thread: 'T-2', providerThread: 'PT-2' })
    world.attempt({ id: 'bare', session: 'S', harness: 'codex' })
    world.database.exec(`UPDATE orchestration_v2_projection_run_attempts SET payload_json = '{}' WHERE attempt_id = 'bare'`)
    expect(follow(host, 'S', { harness: 'codex' }).join()).toBe('joined T-S R-S bare')
  })

  test('rows of a host that has no driver on them count for every harness', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S', harness: 'codex' })
    world.providerThread({ id: 'PT-S', session: 'S', harness: 'codex', driver: null })
    expect(follow(host, 'S', { harness: 'codex' }).join()).toBe('joined T-S R-S a')
  })

  test("a Claude subagent's moment joins its parent's attempt", () => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S' })
    expect(follow(host, 'S', { agent: id<AgentId>('agent-1') }).join()).toBe('joined T-S R-S a')
  })

  test.each(['codex', 'grok', 'opencode'] as const)('a subagent of %s is walked from its session to the run of its parent', (harness) => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S', harness })
    world.providerThread({ id: 'PT-C', session: 'C', thread: 'T-C', harness })
    world.subagent({ id: 'sub', thread: 'T-S', run: 'R-S', providerThread: 'PT-C', child: 'T-C' })
    const child = follow(host, 'C', { harness })
    expect(child.join()).toBe('joined T-S R-S a')
    world.attemptIs('a', 'completed')
    expect(child.join()).toBe('unjoined')
  })

  test('a subagent of a subagent is walked up to the run', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S', harness: 'codex' })
    for (const [session, parent, run] of [
      ['C1', 'T-S', 'R-S'],
      ['C2', 'T-C1', null],
      ['C3', 'T-C2', null],
    ] as const) {
      world.providerThread({ id: `PT-${session}`, session, harness: 'codex' })
      world.subagent({ id: session, thread: parent, run, providerThread: `PT-${session}`, child: `T-${session}` })
    }
    expect(follow(host, 'C3', { harness: 'codex' }).join()).toBe('joined T-S R-S a')
  })

  test('subagents in a ring end as unjoined', () => {
    const { world, host } = begin()
    for (const [session, parent] of [
      ['C1', 'T-C2'],
      ['C2', 'T-C1'],
    ] as const) {
      world.providerThread({ id: `PT-${session}`, session, harness: 'codex' })
      world.subagent({ id: session, thread: parent, run: null, providerThread: `PT-${session}`, child: `T-${session}` })
    }
    expect(follow(host, 'C1', { harness: 'codex' }).join()).toBe('unjoined')
  })

  test('a subagent is found by its thread where the host does not name its provider thread', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S', harness: 'opencode' })
    world.providerThread({ id: 'PT-C', session: 'C', thread: 'T-C', harness: 'opencode' })
    world.subagent({ id: 'sub', thread: 'T-S', run: 'R-S', providerThread: null, child: 'T-C' })
    expect(follow(host, 'C', { harness: 'opencode' }).join()).toBe('joined T-S R-S a')
  })

  test('T11: runs that were taken back are told, whatever came before', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S' })
    const session = follow(host, 'S')
    session.join()
    expect(session.rolledBack()).toBeUndefined()
    world.attemptIs('a', 'completed')
    world.run('R-S', 'T-S', 'rolled_back')
    world.attempt({ id: 'b', session: 'S', run: 'R-2' })
    expect(session.rolledBack()).toEqual(new Set(['R-S']))
  })

  test('a thread that the host deleted goes on as a plain one, under its name', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S' })
    const session = follow(hostOf(world), 'S')
    session.join()
    world.database.exec('DELETE FROM orchestration_v2_projection_run_attempts; DELETE FROM orchestration_v2_projection_provider_threads')
    let before = session.thread()
    const later = host.join(momentOf('S'), before)
    before = later.thread
    expect(short(later.joining)).toBe('standalone T-S R-S')
    expect(before?.attempt).toBeUndefined()
  })

  test('JSON that is none does not stop the others', () => {
    const { world, host } = begin()
    world.attempt({ id: 'a', session: 'S' })
    if (!hasIndex) world.database.exec(`UPDATE orchestration_v2_projection_run_attempts SET payload_json = '{' WHERE attempt_id = 'other'`)
    world.database.exec(`UPDATE orchestration_v2_projection_provider_threads SET payload_json = 'x' WHERE provider_thread_id = 'PT-other'`)
    expect(follow(host, 'S').join()).toBe('joined T-S R-S a')
  })
})

describe('newer hosts', () => {
  test("the attempt's own session counts, also when its provider thread was bound to another one", () => {
    const world = new World('release')
    world.attempt({ id: 'a', session: 'S' })
    world.providerThread({ id: 'PT-S', session: 'S-2', thread: 'T-S' })
    const host = hostOf(world)
    expect(follow(host, 'S').join()).toBe('joined T-S R-S a')
    expect(follow(host, 'S-2').join()).toBe('unjoined')
  })

  test('an attempt without the session is looked for only where none has it', () => {
    const world = new World('release')
    world.attempt({ id: 'new', session: 'S' })
    world.attempt({ id: 'old', session: 'S', run: 'R-2', thread: 'T-S' })
    world.database.exec(`UPDATE orchestration_v2_projection_run_attempts SET payload_json = '{}' WHERE attempt_id = 'old'`)
    expect(follow(hostOf(world), 'S').join()).toBe('joined T-S R-S new')
  })
})

describe('inside a host', () => {
  test('a session that it never recorded is not served, unless a setting says so', () => {
    const world = new World('release')
    let others = false
    const host = hostOf(world, { inside: true, servesOthers: () => others })
    expect(follow(host, 'S').join()).toBe('unjoined')
    others = true
    expect(follow(host, 'S').join()).toBe('standalone claude-code/S claude-code/S#1')
  })

  test('a database that fails serves nothing that it can not know, and health says so', () => {
    const rows = {
      all: () => {
        throw new Error('gone')
      },
    }
    const host = t3codeHost({ rows, inside: true, now: () => 0 })
    expect(follow(host, 'S').join()).toBe('unmapped')
    expect(host.problems().map(({ code }) => code)).toEqual(['host_failing'])
    expect(host.status?.()).toEqual([{ name: 'the database of the host', state: 'failing', isLive: true }])
  })
})

describe('unmapped', () => {
  test('a host of version 1: its sessions are served nothing, others are plain ones, health names the table', () => {
    const world = new World('preview')
    const tables = world.database.prepare(`SELECT name FROM sqlite_master WHERE name LIKE 'orchestration_v2%' AND type = 'table'`).all()
    for (const { name } of tables) world.database.exec(`DROP TABLE ${String(name)}`)
    world.database.exec(`CREATE TABLE provider_session_runtime (thread_id TEXT PRIMARY KEY, resume_cursor_json TEXT);
      INSERT INTO provider_session_runtime VALUES ('t1', '{"threadId":"t1","resume":"S-V1"}'), ('t2', NULL), ('t3', 'broken')`)
    const host = hostOf(world)
    expect(follow(host, 'S-V1').join()).toBe('unmapped')
    expect(follow(host, 'S').join()).toMatch(/^standalone/)
    expect(host.problems()).toMatchObject([{ code: 'host_unmapped', key: 'orchestration_v2_projection_run_attempts', file: world.file }])
  })

  test.each(['run_id', 'status', 'provider_thread_id', 'thread_id'])('a host without the column %s: health names it', (column) => {
    const world = new World('release', { rows: SAMPLE_ROWS })
    world.database.exec(`
      DROP INDEX orchestration_v2_projection_run_attempts_thread_idx; DROP INDEX orchestration_v2_projection_run_attempts_run_ordinal_idx;
      ALTER TABLE orchestration_v2_projection_run_attempts RENAME COLUMN ${column} TO renamed`)
    const host = hostOf(world)
    expect(follow(host, 'S-JOIN').join()).toBe('unmapped')
    expect(follow(host, 'S-NONE').join()).toMatch(/^standalone/)
    expect(host.problems()).toMatchObject([{ key: `orchestration_v2_projection_run_attempts.${column}` }])
  })

  test('a host that keeps the session elsewhere in its JSON: health names the path; once it is there again it is joined', () => {
    const world = new World('preview')
    world.attempt({ id: 'a', session: 'S' })
    world.database.exec(`UPDATE orchestration_v2_projection_provider_threads SET payload_json = '{"ref":{"id":"S"}}'`)
    const host = hostOf(world)
    expect(follow(host, 'S').join()).toBe('unmapped')
    expect(host.problems()).toMatchObject([{ key: 'orchestration_v2_projection_provider_threads.payload_json $.nativeThreadRef.nativeId' }])
    world.providerThread({ id: 'PT-S', session: 'S' })
    expect(follow(host, 'S').join()).toBe('joined T-S R-S a')
    expect(host.problems()).toEqual([])
  })

  test('the first attempt of a new host, which has no session yet, is no missing path', () => {
    const world = new World('preview')
    world.attempt({ id: 'a', session: 'S', status: 'pending' })
    world.providerThread({ id: 'PT-S', session: null })
    const host = hostOf(world)
    expect(follow(host, 'S').join()).toMatch(/^standalone/)
    expect(host.problems()).toEqual([])
  })

  test('a session that was joined before the host was updated to a form that is not known', () => {
    const world = new World('release')
    world.attempt({ id: 'a', session: 'S' })
    const host = hostOf(world)
    const session = follow(host, 'S')
    session.join()
    world.database.exec('ALTER TABLE orchestration_v2_projection_run_attempts RENAME TO moved_elsewhere')
    world.database.exec('DROP TABLE orchestration_v2_projection_provider_threads')
    expect(session.join()).toBe('unmapped')
    world.database.exec('ALTER TABLE moved_elsewhere RENAME TO orchestration_v2_projection_run_attempts')
    expect(session.join()).toBe('joined T-S R-S a')
  })

  test('the oldest preview, whose provider threads have no driver yet', () => {
    const world = new World('preview')
    world.attempt({ id: 'a', session: 'S' })
    world.database.exec('ALTER TABLE orchestration_v2_projection_provider_threads DROP COLUMN driver')
    expect(follow(hostOf(world), 'S').join()).toBe('joined T-S R-S a')
  })

  test('an older host without tables for subagents, runs and items is joined all the same', () => {
    const world = new World('release')
    world.attempt({ id: 'a', session: 'S' })
    for (const table of ['subagents', 'turn_items', 'runs']) world.database.exec(`DROP TABLE orchestration_v2_projection_${table}`)
    expect(follow(hostOf(world), 'S').join()).toBe('joined T-S R-S a')
  })
})

describe('S1: a database that can not be read', () => {
  test('a locked one: a joined session goes on with its run, another one as a plain terminal; then it is joined again', () => {
    const world = new World('release')
    world.database.exec('PRAGMA journal_mode = DELETE')
    world.attempt({ id: 'a', session: 'S' })
    let mono = 0
    const host = t3codeHost({
      rows: new DatabaseFile(world.file),
      name: world.file,
      inside: false,
      now: () => 0,
      mono: () => (mono += 0.01),
    })
    const session = follow(host, 'S')
    expect(session.join()).toBe('joined T-S R-S a')
    world.database.exec('BEGIN EXCLUSIVE')
    expect(session.join()).toBe('unjoined T-S R-S')
    expect(follow(host, 'S-NEW').join()).toMatch(/^standalone/)
    expect(host.problems()).toMatchObject([{ code: 'host_failing', file: world.file }])
    world.database.exec('COMMIT')
    mono += 1_001
    expect(session.join()).toBe('joined T-S R-S a')
    expect(host.problems()).toEqual([])
  })

  test('a file that is no database', () => {
    const world = new World('release')
    world.close()
    const empty = new DatabaseSync(':memory:')
    const host = t3codeHost({ rows: { all: (sql, params = []) => empty.prepare(sql).all(...params) }, inside: false, now: () => 0 })
    expect(follow(host, 'S').join()).toMatch(/^standalone/)
    expect(host.problems()).toMatchObject([{ code: 'host_unmapped', key: 'orchestration_v2_projection_run_attempts' }])
    empty.close()
  })
})
