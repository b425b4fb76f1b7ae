import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { id, type ClaimId } from '../../core/id.ts'
import { StateError } from '../../state.ts'
import { startChild } from './child.fixture.ts'
import { MIGRATIONS, migrate } from './migrate.ts'
import { filesIn, openState, temporaryFolder } from './open.fixture.ts'
import { CONTEXT, SESSION, candidateRow, contextState, logMoment, momentRow, serve } from './rows.fixture.ts'
import { openSqliteState } from './state.ts'

const isRoot = process.getuid?.() === 0
/** Root reads and writes what nobody may, unless it gives up these rights. */
const WITHOUT_ROOT_RIGHTS = ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-dac_override,-dac_read_search']

function codeOf(open: () => unknown): string {
  try {
    open()
    return 'opened'
  } catch (thrown) {
    return thrown instanceof StateError ? thrown.code : String(thrown)
  }
}

function mode(file: string): string {
  return (statSync(file).mode & 0o777).toString(8)
}

test('files and a new folder are private to the user', () => {
  const folder = temporaryFolder()
  const { file, lockFile } = filesIn(folder)
  serve(openState(folder), 'd-1')
  expect([dirname(file), file, `${file}-wal`, `${file}-shm`, lockFile].map(mode)).toEqual(['700', '600', '600', '600', '600'])
})

test('a file that others could read is made private, a folder that was there keeps its mode', () => {
  const folder = temporaryFolder()
  const { file } = filesIn(folder)
  mkdirSync(dirname(file), { mode: 0o755 })
  writeFileSync(file, '', { mode: 0o644 })
  openState(folder)
  expect([mode(dirname(file)), mode(file)]).toEqual(['755', '600'])
})

test('what was written is there after closing and opening', () => {
  const folder = temporaryFolder()
  const first = openSqliteState({ ...filesIn(folder), now: () => 1_000 })
  serve(first, 'd-1')
  first.close()
  const second = openState(folder)
  expect(second.log({}).map((row) => row.delivery)).toEqual(['d-1'])
  expect(second.context(CONTEXT)?.claims).toHaveLength(1)
})

test('after closing every call says so', () => {
  const state = openState()
  state.close()
  state.close()
  expect([() => state.log({}), () => state.check(), () => state.checkpoint(), () => serve(state, 'd-1')].map(codeOf)).toEqual(
    Array.from({ length: 4 }, () => 'closed'),
  )
})

test('S1: a corrupt file is told, in its header and in its pages', () => {
  for (const damage of [0, 4096]) {
    const folder = temporaryFolder()
    const { file } = filesIn(folder)
    const first = openSqliteState({ ...filesIn(folder), now: () => 1_000 })
    for (let number = 0; number < 50; number++) serve(first, `d-${number}`)
    first.close()
    damageFile(file, damage)
    expect(codeOf(() => openState(folder))).toBe('corrupt')
  }
})

test('S1: a file of a newer version is told and left as it is', () => {
  const folder = temporaryFolder()
  const { file } = filesIn(folder)
  const first = openSqliteState({ ...filesIn(folder), now: () => 1_000 })
  first.close()
  const newer = new DatabaseSync(file)
  newer.exec('PRAGMA user_version = 99')
  newer.close()
  const before = statSync(file).mtimeMs
  expect(codeOf(() => openState(folder))).toBe('newer')
  expect(statSync(file).mtimeMs).toBe(before)
})

test('S1: a file that is a folder, and a folder that is a file, are unwritable', () => {
  const folder = temporaryFolder()
  mkdirSync(filesIn(folder).file, { recursive: true })
  expect(codeOf(() => openState(folder))).toBe('unwritable')
  const other = temporaryFolder()
  writeFileSync(join(other, 'data'), '')
  expect(codeOf(() => openState(other))).toBe('unwritable')
})

test.skipIf(!isRoot || process.platform !== 'linux')('S1: an unwritable folder or file is told (needs setpriv, as root)', async () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o500)
  expect(await startChild('opens.fixture.ts', [folder], WITHOUT_ROOT_RIGHTS).line()).toBe('unwritable')

  const other = temporaryFolder()
  expect(await startChild('opens.fixture.ts', [other], WITHOUT_ROOT_RIGHTS).line()).toBe('ok')
  chmodSync(join(other, 'contextmd.sqlite'), 0o400)
  expect(await startChild('opens.fixture.ts', [other], WITHOUT_ROOT_RIGHTS).line()).toBe('unwritable')
})

test('a message names the file, the cause and the cure', () => {
  const folder = temporaryFolder()
  const { file } = filesIn(folder)
  mkdirSync(dirname(file))
  writeFileSync(file, 'not a database at all, but long enough to look like one: '.repeat(20))
  expect(() => openState(folder)).toThrow(`The file ${file} can't be used: it is not a database. Move the file away`)
})

test('a failed opening leaves the lock free', () => {
  const folder = temporaryFolder()
  const { file } = filesIn(folder)
  mkdirSync(file, { recursive: true })
  expect(codeOf(() => openState(folder))).toBe('unwritable')
  expect(codeOf(() => openSqliteState({ ...filesIn(folder), file: `${file}-2`, now: () => 1_000 }).close())).toBe('opened')
})

test('migrations have rising numbers and do no harm when they run twice', () => {
  expect(MIGRATIONS.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, index) => index + 1))
  const folder = temporaryFolder()
  const first = openSqliteState({ ...filesIn(folder), now: () => 1_000 })
  first.update({ context: CONTEXT, session: SESSION }, () => ({ context: contextState(), result: null }))
  first.close()
  const database = new DatabaseSync(filesIn(folder).file)
  database.exec('PRAGMA user_version = 0')
  migrate(database)
  database.close()
  expect(openState(folder).context(CONTEXT)).toEqual(contextState())
})

test('law 7: of claims from before their form was kept only a served one counts as the text', () => {
  const folder = temporaryFolder()
  const { file } = filesIn(folder)
  const first = openSqliteState({ ...filesIn(folder), now: () => 1_000 })
  const outcomes = ['served', 'pointed', 'held', 'forbidden'] as const
  const candidates = outcomes.map((outcome) => candidateRow({ outcome, claim: id<ClaimId>(outcome) }))
  logMoment(first, momentRow('d-1', { candidates }))
  first.close()
  const older = new DatabaseSync(file)
  older.exec('ALTER TABLE candidates DROP COLUMN form; PRAGMA user_version = 2')
  older.close()
  const claimed = openState(folder).claimed(outcomes.map((outcome) => id<ClaimId>(outcome)))
  expect(claimed.map(({ claim, form }) => `${claim} ${form}`)).toEqual([
    'served text',
    'pointed pointer',
    'held pointer',
    'forbidden pointer',
  ])
})

/** Overwrites half a page. */
function damageFile(file: string, from: number): void {
  const bytes = readFileSync(file)
  bytes.fill(0x5a, from, from + 2_048)
  writeFileSync(file, bytes)
}
