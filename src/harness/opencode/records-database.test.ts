/** The source over a real database in the form that OpenCode writes it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Watch } from '../../core/watch.ts'
import { answer, claimOf, added, marked, step, user } from './log.fixture.ts'
import { opencodeRecords } from './records.ts'

let folder = ''
let database: DatabaseSync

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contextmd-opencode-'))
  database = new DatabaseSync(join(folder, 'opencode.db'))
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE event (id text PRIMARY KEY, aggregate_id text NOT NULL, seq integer NOT NULL, type text NOT NULL, data text NOT NULL);
    CREATE UNIQUE INDEX event_aggregate_seq_idx ON event (aggregate_id, seq);`)
})

afterEach(() => {
  if (database.isOpen) database.close()
  rmSync(folder, { recursive: true, force: true })
})

function write(session: string, from: number, rows: readonly string[]): void {
  const insert = database.prepare('INSERT INTO event VALUES (?, ?, ?, ?, ?)')
  for (const [index, line] of rows.entries()) {
    const { type, data } = JSON.parse(line) as { type: string; data: object }
    insert.run(`evt_${session}_${from + index}`, session, from + index, type, JSON.stringify(data))
  }
}

const RULE = 'Commit messages are short.'
const watch: Watch = { claims: [claimOf('m.1', RULE)], files: [], wantsHeld: false }

function source(session = 'ses_a', name = 'opencode.db') {
  const opened = opencodeRecords(() => []).open?.(`${join(folder, name)}#${session}`)
  if (opened === undefined) throw new Error('records that can not be opened')
  return opened
}

test('reads what was added since the last time, while the program has it open, and only of its session', async () => {
  const log = source()
  write('ses_a', 0, [user('u1'), added('u1', marked('m.1', RULE))])
  write('ses_b', 0, [user('u1'), added('u1', marked('m.1', RULE)), step('a1'), answer('a1')])
  expect(
    await log.readOn(
      0,
      () => watch,
      () => false,
    ),
  ).toBe('end')
  expect(log.scan?.facts(watch)).toMatchObject([{ found: 'whole', answered: false }])
  write('ses_a', 2, [step('a1'), answer('a1')])
  expect(
    await log.readOn(
      0,
      () => watch,
      () => false,
    ),
  ).toBe('end')
  expect(log.scan?.facts(watch)).toMatchObject([{ found: 'whole', answered: true }])
})

test('a long log is read in slices, and stopped between them', async () => {
  write(
    'ses_a',
    0,
    Array.from({ length: 500 }, (_, index) => user(`u${index}`)),
  )
  let asked = 0
  expect(
    await source().readOn(
      0,
      () => watch,
      () => (asked += 1) > 3,
    ),
  ).toBe('stopped')
  expect(asked).toBe(4)
  expect(
    await source().readOn(
      0,
      () => watch,
      () => false,
    ),
  ).toBe('end')
})

test('a session without rows is at its end: it has just begun', async () => {
  expect(
    await source('ses_new').readOn(
      0,
      () => watch,
      () => false,
    ),
  ).toBe('end')
})

test('a missing file, another file, a folder and another form of database are missing records', async () => {
  writeFileSync(join(folder, 'opencode-text.db'), 'no database at all, but long enough to be taken for one '.repeat(50))
  new DatabaseSync(join(folder, 'opencode-other.db')).close()
  for (const name of ['opencode-none.db', 'opencode-text.db', 'opencode-other.db'])
    expect(
      await source('ses_a', name).readOn(
        0,
        () => watch,
        () => false,
      ),
      name,
    ).toBe('missing')
})

test('a database that is locked is read at the next look', async () => {
  database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  expect(
    await source().readOn(
      0,
      () => watch,
      () => false,
    ),
  ).toBe('stopped')
  database.exec('COMMIT')
  expect(
    await source().readOn(
      0,
      () => watch,
      () => false,
    ),
  ).toBe('end')
})
