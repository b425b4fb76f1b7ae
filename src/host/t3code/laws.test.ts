import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { contextIdOf, id, type CallId, type ClaimId, type SessionId, type TextHash } from '../../core/id.ts'
import type { ThreadState } from '../../host.ts'
import { DatabaseFile } from './database-file.ts'
import { expectedOf, isGap } from './oracle.fixture.ts'
import { RUNNING_INDEX_SQL } from './running-index.ts'
import { t3codeHost } from './t3code.ts'
import { momentOf, SCHEMA, World, type ItemWish } from './world.fixture.ts'

const RUNS = Number(process.env['CONTEXTMD_HISTORIES'] ?? 400)
const SESSIONS = ['s1', 's2', 's_', 's%'] as const
const HARNESSES = ['claude-code', 'codex', 'grok'] as const
const STATUSES = ['pending', 'running', 'running', 'superseded', 'completed', 'interrupted', 'failed', 'cancelled'] as const

const session = fc.constantFrom(...SESSIONS)
const number = fc.integer({ min: 1, max: 4 })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('moment' as const), session, harness: fc.constantFrom(...HARNESSES) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('attempt' as const),
      session,
      number,
      run: number,
      status: fc.constantFrom(...STATUSES),
      isBare: fc.boolean(),
      harness: fc.constantFrom(...HARNESSES),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('status' as const), number, run: number, status: fc.constantFrom(...STATUSES) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('bind' as const), run: number, session, harness: fc.constantFrom(...HARNESSES) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('subagent' as const), session, run: number }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), run: number }) },
)
type Act = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Runs and attempts are named after their numbers: an attempt belongs to the run of its own thread. */
function act(world: World, one: Exclude<Act, { do: 'moment' }>, at: number): void {
  const { database } = world
  switch (one.do) {
    case 'attempt': {
      const [run, providerThread] = [`R${one.run}`, `PT${one.run}`]
      const exists = database.prepare('SELECT 1 FROM orchestration_v2_projection_run_attempts WHERE attempt_id = ?')
      const name = `A${one.run}.${one.number}`
      if (exists.get(name) !== undefined) return
      world.attempt({ ...one, id: name, run, thread: `T${one.run}`, providerThread, ordinal: one.number })
      if (one.isBare) {
        const bare = `UPDATE orchestration_v2_projection_run_attempts SET payload_json = '{}' WHERE attempt_id = ?`
        database.prepare(bare).run(name)
      }
      return
    }
    case 'status':
      return world.attemptIs(`A${one.run}.${one.number}`, one.status)
    case 'bind':
      return world.providerThread({ id: `PT${one.run}`, session: one.session, thread: `T${one.run}`, harness: one.harness })
    case 'subagent':
      world.providerThread({ id: `PTC${at}`, session: one.session, thread: `TC${at}`, harness: 'codex' })
      return world.subagent({ id: `SUB${at}`, thread: `T${one.run}`, run: `R${one.run}`, providerThread: `PTC${at}`, child: `TC${at}` })
    case 'forget':
      database.prepare('DELETE FROM orchestration_v2_projection_run_attempts WHERE run_id = ?').run(`R${one.run}`)
      return
    default:
      return one satisfies never
  }
}

/** One database for all histories: emptied for each. */
function scratch(): { world: World; empty: () => void } {
  const world = new World('release')
  const tables = world.database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'orchestration%'`).all()
  return { world, empty: () => tables.forEach(({ name }) => world.database.exec(`DELETE FROM ${String(name)}`)) }
}

describe.each([false, true])('whatever order rows and moments come in, with the index: %s', (hasIndex) => {
  test('a moment is joined to the one running attempt of its session, or to none', () => {
    const { world, empty } = scratch()
    if (hasIndex) world.index()
    const law = fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      empty()
      const file = new DatabaseFile(world.file)
      const host = t3codeHost({ rows: file, inside: false, now: () => 0 })
      const threads = new Map<string, ThreadState | null>()
      for (const [at, one] of steps.entries()) {
        if (one.do !== 'moment') {
          act(world, one, at)
          continue
        }
        const before = threads.get(one.session) ?? null
        const { joining, thread } = host.join(momentOf(one.session, { harness: one.harness }), before)
        threads.set(one.session, thread ?? before)
        const expected = expectedOf(world.database, one.session, one.harness)
        if (expected.state === 'joined') expect(joining).toMatchObject(expected)
        else if (expected.state === 'ambiguous') expect(joining).toEqual({ state: 'ambiguous' })
        else {
          expect(['standalone', 'unjoined']).toContain(joining.state)
          // a run that is not running is served only between two attempts of it, or as a plain one's own
          if (joining.state === 'unjoined' && 'run' in joining) {
            expect(before?.attempt).toBeDefined()
            expect(isGap(world.database, joining.run)).toBe(true)
          }
        }
      }
      file.close()
    })
    fc.assert(law, { numRuns: RUNS })
  })
})

const TEXTS = ['Be kind.', 'Be kind and brief.', 'x'] as const
const CALLS = ['exec-1', 'prior-exec-1', 'exec_1', 'exec%1', '%'] as const
const CLAIMS = ['k1.1', 'k1.11', 'k2.1'] as const
const marked = (claim: string, text: string) => `[ContextMD ${claim} T]\n${text}\n[/ContextMD ${claim}]`
const hashOf = (text: string) => id<TextHash>(createHash('sha256').update(text).digest('hex'))
const RESULT: Readonly<Record<string, string>> = { command_execution: 'output', file_change: 'diffStr', dynamic_tool: 'output' }

const item = fc.record({
  thread: fc.constantFrom('T-S', 'T-C', 'T-X'),
  call: fc.constantFrom(...CALLS),
  type: fc.constantFrom('command_execution', 'file_change', 'dynamic_tool', 'web_search'),
  status: fc.constantFrom('running', 'failed', 'completed', 'cancelled'),
  harness: fc.constantFrom('claude-code' as const, 'codex' as const),
  claim: fc.constantFrom(...CLAIMS),
  text: fc.constantFrom(...TEXTS),
  /** Where the marked text stands: in the result, or in the call alone. */
  field: fc.constantFrom('result', 'input', 'newStr', 'title'),
})

test('no claim is judged on an item of another call, thread, harness or field, or on another text', () => {
  const { world, empty } = scratch()
  const wish = fc.record({ call: fc.constantFrom(...CALLS), claim: fc.constantFrom(...CLAIMS), text: fc.constantFrom(...TEXTS) })
  const law = fc.property(fc.array(item, { maxLength: 12 }), wish, (items, { call, claim, text }) => {
    empty()
    world.attempt({ id: 'a', session: 'S' })
    world.subagent({ id: 'sub', thread: 'T-S', run: 'R-S', providerThread: null, child: 'T-C' })
    items.forEach(({ thread, field, type, claim: named, text: said, ...of }, at) => {
      const inField = field === 'result' ? (RESULT[type] ?? 'results') : field
      const fields = { output: 'something else', diffStr: 'something else', [inField]: marked(named, said) }
      world.item({ thread, ordinal: at, type, ...of, fields } satisfies ItemWish)
    })
    const file = new DatabaseFile(world.file)
    const host = t3codeHost({ rows: file, inside: false, now: () => 0 })
    host.join(momentOf('S'), null)
    const name = id<SessionId>('S')
    const told = host.look?.({
      context: contextIdOf('claude-code', name, null),
      session: name,
      harness: 'claude-code',
      folder: null,
      watch: {
        files: [],
        wantsHeld: false,
        claims: [
          {
            id: id<ClaimId>(claim),
            textHash: hashOf(text),
            form: 'text',
            role: 'hold',
            place: { moment: 'before-tool', event: 'PreToolUse', call: id<CallId>(call), way: 'reason' },
          },
        ],
      },
    })
    const own = items.filter((one) => one.call === call && one.thread !== 'T-X' && one.harness === 'claude-code')
    const only = own.length === 1 ? own[0] : undefined
    const isJudged = only !== undefined && only.status !== 'running' && only.type !== 'web_search'
    const isThere = isJudged && only.field === 'result' && only.claim === claim
    const expected = !isJudged ? [] : [isThere ? (only.text === text ? 'whole' : 'cut') : 'replaced']
    expect(told?.facts.map((fact) => fact.kind === 'claim' && fact.found)).toEqual(expected)
    file.close()
  })
  fc.assert(law, { numRuns: RUNS * 3 })
})

test('the mirror of a table that is larger than a page says what the index says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-large-'))
  try {
    const path = join(folder, 'statev2.sqlite')
    const database = new DatabaseSync(path)
    database.exec(`PRAGMA synchronous = OFF; ${SCHEMA}; BEGIN`)
    const put = database.prepare(`
      INSERT INTO orchestration_v2_projection_run_attempts
        (attempt_id, thread_id, run_id, attempt_ordinal, root_node_id, provider, provider_thread_id, status, payload_json)
      VALUES (?, ?, ?, 1, 'N', 'x', 'PT', ?, ?)`)
    for (let at = 0; at < 5_000; at += 1) {
      put.run(`A${at}`, `T${at}`, `R${at}`, at % 1_000 === 0 ? 'running' : 'completed', JSON.stringify({ nativeThreadId: `s${at}` }))
    }
    database.exec('COMMIT')
    const file = new DatabaseFile(path)
    const host = t3codeHost({ rows: file, inside: false, now: () => 0 })
    await host.drain?.()
    const states = () => ['s0', 's1000', 's4000', 's17', 's4999', 'plain'].map((one) => host.join(momentOf(one), null).joining.state)
    const expected = ['joined', 'joined', 'joined', 'unjoined', 'unjoined', 'standalone']
    expect(host.status?.()).toMatchObject([{ state: 'joining' }])
    expect(states()).toEqual(expected)
    // rows at the end are deleted and others take their place
    database.exec(`DELETE FROM orchestration_v2_projection_run_attempts WHERE rowid > 4990`)
    put.run('late', 'T-late', 'R-late', 'running', JSON.stringify({ nativeThreadId: 'late' }))
    expect(host.join(momentOf('late'), null).joining).toMatchObject({ state: 'joined', attempt: 'late' })
    database.exec(RUNNING_INDEX_SQL)
    expect(states()).toEqual(expected.with(4, 'standalone'))
    file.close()
    database.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a host that crashed often and left many attempts open: the newest ones are joined', () => {
  const world = new World('release')
  for (let at = 0; at < 300; at += 1) world.attempt({ id: `a${at}`, session: `s${at}` })
  const host = t3codeHost({ rows: new DatabaseFile(world.file), inside: false, now: () => 0 })
  for (const session of ['s299', 's299', 's150']) {
    expect(host.join(momentOf(session), null).joining).toMatchObject({ state: 'joined', run: `R-${session}` })
  }
  world.attempt({ id: 'late', session: 'late' })
  expect(host.join(momentOf('late'), null).joining).toMatchObject({ state: 'joined', run: 'R-late' })
})

test('a session that is written into its row late is found, however many rows came after it', () => {
  const world = new World('preview')
  world.attempt({ id: 'a', session: 'S', harness: 'codex' })
  const host = t3codeHost({ rows: new DatabaseFile(world.file), inside: false, now: () => 0 })
  world.providerThread({ id: 'PT-C', session: null, thread: 'T-C', harness: 'codex' })
  world.subagent({ id: 'sub', thread: 'T-S', run: 'R-S', providerThread: 'PT-C', child: 'T-C' })
  const join = (session: string) => host.join(momentOf(session, { harness: 'codex' }), null).joining.state
  expect(join('C')).toBe('standalone')
  for (let at = 0; at < 100; at += 1) world.providerThread({ id: `PT-${at}`, session: `s${at}`, harness: 'codex' })
  join('S')
  world.providerThread({ id: 'PT-C', session: 'C', thread: 'T-C', harness: 'codex' })
  expect(join('C')).toBe('joined')
})
