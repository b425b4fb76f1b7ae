/**
 * A host's database as a test writes it: the real tables, in a real file, through a connection of its own.
 *
 * Of three generations: `preview` keeps the session on the provider thread alone and its tables with those of version 1 in one file;
 * `release` and `fork` keep it on the attempt as well.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { contextIdOf, id, type AgentId, type HarnessName, type SessionId } from '../../core/id.ts'
import type { Moment } from '../../core/moment.ts'
import { RUNNING_INDEX_SQL } from './running-index.ts'
import { DRIVERS, ITEMS } from './tables.ts'

export const GENERATIONS = { preview: 'state.sqlite', release: 'statev2.sqlite', fork: 'chromeria-v2.sqlite' } as const
export type Generation = keyof typeof GENERATIONS

const FIXTURES = join(import.meta.dirname, 'fixtures')
export const SCHEMA = readFileSync(join(FIXTURES, 'schema.sql'), 'utf8')
export const SAMPLE_ROWS = readFileSync(join(FIXTURES, 'sample-rows.sql'), 'utf8')
const AT = '2026-10-12T10:00:00.000Z'

export interface AttemptWish {
  readonly id: string
  readonly session: string
  readonly thread?: string
  readonly run?: string
  readonly ordinal?: number
  readonly status?: string
  readonly runStatus?: string
  readonly harness?: HarnessName
  readonly providerThread?: string
  readonly reason?: string
}

/** A base folder that is gone when the test is over. */
export function temporaryBase(): string {
  const base = mkdtempSync(join(tmpdir(), 'contextmd-host-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  return base
}

export class World {
  readonly base: string
  readonly folder: string
  readonly file: string
  readonly generation: Generation
  readonly database: DatabaseSync

  constructor(generation: Generation = 'release', { base = temporaryBase(), rows = '', state = 'userdata' } = {}) {
    this.generation = generation
    this.base = base
    this.folder = join(base, state)
    mkdirSync(this.folder, { recursive: true })
    this.file = join(this.folder, GENERATIONS[generation])
    this.database = new DatabaseSync(this.file)
    // nothing of a test must outlive a power failure
    this.database.exec(`PRAGMA synchronous = OFF; ${SCHEMA}`)
    if (generation === 'preview') this.database.exec('CREATE TABLE projection_thread_sessions (thread_id TEXT PRIMARY KEY)')
    if (rows !== '') this.database.exec(rows)
    onTestFinished(() => this.close())
  }

  close(): void {
    if (this.database.isOpen) this.database.close()
  }

  index(): void {
    this.database.exec(RUNNING_INDEX_SQL)
  }

  /** Tells, as a running server does, that it is there. */
  live(pid = process.pid): void {
    writeFileSync(join(this.folder, 'server-runtime.json'), JSON.stringify({ version: 1, pid, host: '127.0.0.1', port: 3773 }))
  }

  /** A run with one attempt of a session, and the provider thread of it: as the host commits them. */
  attempt(wish: AttemptWish): void {
    const { id: attempt, session, harness = 'claude-code', status = 'running', ordinal = 1 } = wish
    const { thread = `T-${session}`, run = `R-${session}`, providerThread = `PT-${session}`, reason = 'initial' } = wish
    this.run(run, thread, wish.runStatus ?? 'running')
    this.providerThread({ id: providerThread, session, thread, harness })
    const payload = { id: attempt, reason, status, ...(this.generation === 'preview' ? {} : { nativeThreadId: session }) }
    this.#put(
      `INSERT INTO orchestration_v2_projection_run_attempts
         (attempt_id, thread_id, run_id, attempt_ordinal, root_node_id, provider, provider_thread_id, status, payload_json, provider_instance_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (attempt_id) DO UPDATE SET status = excluded.status, payload_json = excluded.payload_json`,
      [attempt, thread, run, ordinal, `N-${attempt}`, DRIVERS[harness], providerThread, status, JSON.stringify(payload), DRIVERS[harness]],
    )
  }

  attemptIs(attempt: string, status: string): void {
    this.#put(`UPDATE orchestration_v2_projection_run_attempts SET status = ? WHERE attempt_id = ?`, [status, attempt])
  }

  run(run: string, thread: string, status: string): void {
    this.#put(
      `INSERT INTO orchestration_v2_projection_runs (run_id, thread_id, ordinal, provider, status, requested_at, payload_json)
       VALUES (?1, ?2, 1 + (SELECT count(*) FROM orchestration_v2_projection_runs WHERE thread_id = ?2), 'x', ?3, '${AT}', '{}')
       ON CONFLICT (run_id) DO UPDATE SET status = excluded.status`,
      [run, thread, status],
    )
  }

  providerThread(of: { id: string; session: string | null; thread?: string | null; harness?: HarnessName; driver?: string | null }): void {
    const { id: name, session, thread = `T-${session}`, harness = 'claude-code' } = of
    const driver = of.driver === undefined ? DRIVERS[harness] : of.driver
    const payload = session === null ? {} : { nativeThreadRef: { driver: DRIVERS[harness], nativeId: session, strength: 'strong' } }
    this.#put(
      `INSERT INTO orchestration_v2_projection_provider_threads (provider_thread_id, thread_id, provider, status, updated_at, payload_json, driver)
       VALUES (?, ?, 'x', 'active', '${AT}', ?, ?)
       ON CONFLICT (provider_thread_id) DO UPDATE SET payload_json = excluded.payload_json, driver = excluded.driver`,
      [name, thread, JSON.stringify(payload), driver],
    )
  }

  subagent(of: { id: string; thread: string; run: string | null; providerThread: string | null; child: string | null }): void {
    this.#put(
      `INSERT INTO orchestration_v2_projection_subagents
         (subagent_id, thread_id, run_id, parent_node_id, provider, provider_thread_id, child_thread_id, origin, status, updated_at, payload_json)
       VALUES (?, ?, ?, 'N', 'x', ?, ?, 'provider_native', 'running', '${AT}', '{}')`,
      [of.id, of.thread, of.run, of.providerThread, of.child],
    )
  }

  /** `second`: of the minute at which it began, and was done if it is. */
  item(of: ItemWish): void {
    const { thread, type = 'command_execution', status = 'failed', harness = 'claude-code', second = of.ordinal % 60, ...rest } = of
    const { ordinal, call, providerThread = null, fields = {} } = rest
    const at = `2026-10-12T10:00:${String(second).padStart(2, '0')}.000Z`
    const isDone = status !== 'running' && status !== 'pending'
    const payload = {
      type,
      status,
      ...(call === undefined ? {} : { nativeItemRef: { driver: DRIVERS[harness], nativeId: call, strength: 'strong' } }),
      startedAt: at,
      ...(isDone ? { completedAt: at } : {}),
      ...fields,
    }
    this.#put(
      `INSERT INTO ${ITEMS} (turn_item_id, thread_id, run_id, provider_thread_id, ordinal, type, status, updated_at, payload_json)
       VALUES (?, ?, NULL, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (turn_item_id) DO UPDATE SET status = excluded.status, updated_at = excluded.updated_at, payload_json = excluded.payload_json`,
      [`${thread} ${ordinal}`, thread, providerThread, ordinal, type, status, at, JSON.stringify(payload)],
    )
  }

  #put(sql: string, params: readonly (string | number | null)[]): void {
    this.database.prepare(sql).run(...params)
  }
}

export interface ItemWish {
  readonly thread: string
  readonly ordinal: number
  readonly call?: string
  readonly type?: string
  readonly status?: string
  readonly harness?: HarnessName
  readonly providerThread?: string | null
  readonly second?: number
  readonly fields?: object
}

/** A moment of a session, as far as a host looks at it. */
export function momentOf(session: string, more: Partial<Moment> & { harness?: HarnessName; agent?: AgentId | null } = {}): Moment {
  const { harness = 'claude-code', agent = null } = more
  // the fields of one kind are told by the test that asks for another
  return {
    harness,
    session: id<SessionId>(session),
    agent,
    context: contextIdOf(harness, id<SessionId>(session), agent),
    event: 'x',
    deliveryId: null,
    turn: null,
    cwd: '/home/dev/project',
    records: null,
    at: 0,
    kind: 'prompt',
    text: 'go',
    machineMade: false,
    ...more,
  } as Moment
}
