import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { checkFile } from './check-file.ts'
import { checkInThread } from './check-thread.ts'
import { migrate } from './migrate.ts'
import { contextsAndLog } from './migrations/001_contexts_and_log.ts'
import { filesIn, openState, putAllAway, temporaryFolder } from './open.fixture.ts'
import { serve } from './rows.fixture.ts'
import { openSqliteState } from './state.ts'

function stateFile(change?: (file: string) => void): string {
  const folder = temporaryFolder()
  const { file, lockFile } = filesIn(folder)
  const state = openSqliteState({ file, lockFile, now: () => 1_000 })
  for (let number = 0; number < 50; number++) serve(state, `d-${number}`)
  state.close()
  change?.(file)
  return file
}

const codes = (file: string): readonly string[] => checkFile(file).map((problem) => problem.code)

describe('a file that no server holds', () => {
  test('is looked through and left as it is', () => {
    const file = stateFile()
    const before = readFileSync(file)
    expect(checkFile(file)).toEqual([])
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('what is inconsistent is told', () => {
    expect(codes(stateFile((file) => sql(file, 'DELETE FROM moments WHERE number = 7')))).toEqual(['state_orphan_candidate'])
  })

  test('what a killed server left in the backlog is in order, what other hands put there is told', () => {
    const left = (steps: string) => stateFile((file) => sql(file, `INSERT INTO backlog (steps) VALUES ('${steps}')`))
    expect(codes(left('{"steps":[],"contexts":[],"threads":[]}'))).toEqual([])
    expect(codes(left('{"steps":'))).toEqual(['state_unreadable_row'])
  })

  test.each([
    ['missing', (file: string) => `${file}-not-there`, 'state_missing'],
    ['not a database', (file: string) => write(file, 'no database, but long enough for one: '.repeat(40)), 'state_corrupt'],
    ['damaged', (file: string) => damage(file), /^state_(damaged|corrupt)$/],
    ['of a newer version', (file: string) => sql(file, 'PRAGMA user_version = 99'), 'state_newer'],
    ['of an older version', (file: string) => sql(file, 'PRAGMA user_version = 1'), 'state_older'],
  ])('one that is %s is told, with its cure', (_, change, code) => {
    const file = change(stateFile())
    const found = checkFile(file)
    expect(found.map((problem) => problem.code)).toContainEqual(expect.stringMatching(code))
    for (const problem of found) expect(problem).toMatchObject({ file, cure: expect.stringMatching(/\w/) })
  })
})

test('beside a server that writes, by another thread: what is found is the same', async () => {
  const folder = temporaryFolder()
  const { file } = filesIn(folder)
  const state = openState(folder)
  serve(state, 'd-1')
  const checked = checkInThread(file, null)
  serve(state, 'd-2')
  expect(await checked).toEqual([])
  putAllAway(state)
  sql(file, 'UPDATE contexts SET open_claims = 7')
  expect(await checkInThread(file, state.identity())).toEqual(state.check())
  expect(state.check()).toHaveLength(1)
})

test.each([
  ['file', (file: string) => renameSync(stateFile(), file)],
  ['log', (file: string) => renameSync(`${file}-wal`, `${file}-wal.away`)],
])('in the process that has the state open, another %s in its place is not read by the index of the old one', async (_, change) => {
  const folder = temporaryFolder()
  const { file } = filesIn(folder)
  const state = openState(folder)
  serve(state, 'd-1')
  expect(await checkInThread(file, state.identity())).toEqual([])
  change(file)
  const found = await checkInThread(file, state.identity())
  expect(found.map(({ code, severity }) => [code, severity])).toEqual([['state_failed', 'warning']])
})

test('a state of the first form is brought to this one: threads get their counters', () => {
  const folder = temporaryFolder()
  const { file } = filesIn(folder)
  const fresh = stateFile()
  openState(folder).close()
  copyFileSync(fresh, file)
  // as the first version made it
  using database = new DatabaseSync(`${file}-old`)
  migrate(database, [contextsAndLog])
  database.exec(`
    ATTACH '${file}' AS now;
    INSERT INTO threads SELECT session, state, seen_at FROM now.threads;
    INSERT INTO contexts SELECT * FROM now.contexts;
    INSERT INTO candidates SELECT moment, position, entry, entry_hash, outcome, claim, lane, bytes, item, verdict, verdict_at, why
      FROM now.candidates;
    INSERT INTO moments SELECT number, delivery, context, harness, version, session, thread, run, joining, kind, event, tool, seq, epoch,
      wave, outcome, why, bytes, at, ms_total, ms_match, ms_evidence, answer FROM now.moments;
    DETACH now`)
  database.close()
  const state = openSqliteState({ file: `${file}-old`, lockFile: `${file}-lock`, now: () => 1_000 })
  expect(state.threads({ limit: 1 })).toMatchObject([{ thread: 'thread-1', runs: 1, moments: 50, denied: 0, bytes: 5_000 }])
  expect(state.log({ outcome: 'served' })).toHaveLength(50)
  expect(state.check()).toEqual([])
  state.close()
})

function sql(file: string, text: string): string {
  using database = new DatabaseSync(file)
  database.exec(text)
  return file
}

function write(file: string, text: string): string {
  writeFileSync(file, text)
  return file
}

/** Overwrites half of a page in the middle. */
function damage(file: string): string {
  const bytes = readFileSync(file)
  const page = 4096 * Math.floor(bytes.length / 4096 / 2)
  bytes.fill(0x5a, page, page + 2_048)
  writeFileSync(file, bytes)
  return file
}
