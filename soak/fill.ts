/**
 * Fills a state: the first moments as the engine writes them, each with a candidate that was served and judged; then as many more of the
 * same form as wanted, by the database itself, which is ten times faster. A filling that was ended goes on where it was.
 */
import { statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { newContext } from '../src/core/context.ts'
import {
  contextIdOf,
  id,
  type ClaimId,
  type DeliveryId,
  type EntryId,
  type RunId,
  type SessionId,
  type TextHash,
  type ThreadId,
} from '../src/core/id.ts'
import { openSqliteState } from '../src/state/sqlite/state.ts'
import type { State } from '../src/state.ts'
import type { Findings } from './findings.ts'

const HASH = id<TextHash>('0123456789abcdef'.repeat(4))
const ENTRIES = 40
/** By the engine: enough that a context holds all that one with a long past holds. */
const SEEDED = 1_000
/** Written in one transaction. */
const BLOCK = 50_000
const SAY_EVERY = 500_000
/** As the server has it for the whole start of a state: then no statement waits. */
const BUSY_TIMEOUT_MS = 1_000

export interface Fill {
  readonly moments: number
  readonly contexts: number
  /** Ends before all is there when the time is over: `performance.now()`. */
  readonly until?: number
}

/** Gives the bytes of the file, and whether all is there. Each moment is two rows: its own and its candidate's. */
export function fillState(
  { state: file, lock: lockFile }: { readonly state: string; readonly lock: string },
  { moments, contexts, until = Infinity }: Fill,
  findings: Pick<Findings, 'say'>,
): { readonly bytes: number; readonly isWhole: boolean } {
  const now = Date.now()
  const state = openSqliteState({ file, lockFile, now: () => now })
  const seeded = Math.min(SEEDED, moments)
  for (let number = 1; number <= seeded; number += 1) seedMoment(state, number, number % Math.min(contexts, ENTRIES), now)
  state.checkpoint()
  state.close()

  using database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -200000')
  const run = (sql: string, values: Record<string, SQLInputValue>): void => void database.prepare(sql).run(values)
  run(CONTEXTS, { contexts, like: seedSession(1) })
  run(THREADS, { contexts, like: seedSession(1) })
  let last = newest(database)
  while (last < moments && performance.now() < until) {
    const to = Math.min(last + BLOCK, moments)
    database.exec('BEGIN')
    run(MOMENTS, { after: last, to, contexts })
    run(CANDIDATES, { after: last, to, entries: ENTRIES })
    database.exec('COMMIT')
    if (Math.floor(to / SAY_EVERY) > Math.floor(last / SAY_EVERY)) findings.say(`${to} moments written`)
    last = to
  }
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  return { bytes: statSync(file).size, isWhole: last >= moments }
}

function newest(database: DatabaseSync): number {
  return Number(database.prepare('SELECT max(number) AS number FROM moments').get()?.['number'] ?? 0)
}

const SESSION = `'6f1c2b1e-0000-4000-8000-' || printf('%012d', n % :contexts)`
const NUMBERS = 'WITH RECURSIVE numbers (n) AS (SELECT :after + 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :to)'
const EACH_CONTEXT = 'WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :contexts)'

const MOMENTS = `
  INSERT OR IGNORE INTO moments (number, delivery, context, harness, version, session, thread, run, joining, kind, event, tool, seq, epoch,
    wave, outcome, why, bytes, at, ms_total, ms_match, ms_evidence, answer, holdout)
  ${NUMBERS}, named (n, s) AS (SELECT n, ${SESSION} FROM numbers)
  SELECT n, 'claude-code/' || s || '|toolu_' || printf('%020d', n), 'claude-code/' || s, harness, version, s, 'claude-code/' || s,
    'claude-code/' || s || '#1', joining, kind, event, tool, n, epoch, wave, outcome, why, bytes, at, ms_total, ms_match, ms_evidence, answer, holdout
  FROM named JOIN moments ON number = 1`
const CANDIDATES = `
  INSERT OR IGNORE INTO candidates (moment, position, entry, entry_hash, outcome, claim, form, lane, bytes, item, verdict, verdict_at, why)
  ${NUMBERS}
  SELECT n, 0, 'team/rule-' || (n % :entries), entry_hash, outcome, printf('%010x.1', n), form, lane, bytes, item, verdict, verdict_at, why
  FROM numbers JOIN candidates ON moment = 1`
const CONTEXTS = `
  INSERT OR IGNORE INTO contexts (id, session, state, open_claims, last_moment, seen_at)
  ${EACH_CONTEXT}, named (s) AS (SELECT ${SESSION} FROM numbers)
  SELECT 'claude-code/' || s, s, replace(state, :like, s), open_claims, NULL, seen_at FROM named JOIN contexts ON id = 'claude-code/' || :like`
const THREADS = `
  INSERT OR IGNORE INTO threads (session, state, seen_at, thread, runs, moments, denied, bytes)
  ${EACH_CONTEXT}, named (s) AS (SELECT ${SESSION} FROM numbers)
  SELECT s, replace(state, :like, s), seen_at, 'claude-code/' || s, runs, moments, denied, bytes FROM named JOIN threads ON session = :like`

function seedSession(which: number): SessionId {
  return id<SessionId>(`6f1c2b1e-0000-4000-8000-${String(which).padStart(12, '0')}`)
}

function seedMoment(state: State, number: number, which: number, now: number): void {
  const session = seedSession(which)
  const context = contextIdOf('claude-code', session, null)
  const thread = id<ThreadId>(`claude-code/${session}`)
  const run = id<RunId>(`${thread}#1`)
  const delivery = id<DeliveryId>(`${context}|toolu_${String(number).padStart(20, '0')}`)
  const claim = id<ClaimId>(`${number.toString(16).padStart(10, '0')}.1`)
  const row = { entryHash: HASH, outcome: 'served', claim, form: 'text', lane: 'rules', bytes: 400, item: 0 } as const
  const known = { hash: HASH, by: 'shown', claim, run } as const
  const entries = Array.from({ length: ENTRIES }, (_, each) => id<EntryId>(`team/rule-${each}`))
  state.update({ context, session, delivery }, ({ context: before, replay }) => {
    if (replay !== null) return { result: null }
    const state = before ?? newContext(context, now)
    return {
      context: {
        ...state,
        seq: state.seq + 1,
        seenAt: now,
        started: true,
        known: Object.fromEntries(entries.map((entry) => [entry, known])),
      },
      thread: { session, thread, run, runs: 1, phase: 'running' },
      moment: {
        delivery,
        context,
        harness: 'claude-code',
        version: null,
        session,
        thread,
        run,
        joining: 'standalone',
        kind: 'before-tool',
        event: 'PreToolUse',
        tool: 'shell',
        seq: state.seq + 1,
        epoch: 0,
        wave: 1,
        outcome: 'served',
        why: null,
        bytes: 400,
        at: now,
        ms: { total: 2, match: 0.1, evidence: 0 },
        candidates: [{ ...row, entry: id<EntryId>(`team/rule-${number % ENTRIES}`) }],
        answer: null,
      },
      claims: [{ claim, verdict: 'shown', why: null, at: now }],
      result: null,
    }
  })
}
