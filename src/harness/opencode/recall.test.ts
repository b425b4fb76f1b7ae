import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HARNESSES } from '../all.ts'
import { answer, failed, ran, step, tool } from './log.fixture.ts'
import { recall } from './recall.ts'

const opencode = HARNESSES.find(({ profile }) => profile.name === 'opencode')

let home = ''
let file = ''
let database: DatabaseSync

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'contextmd-recall-opencode-'))
  const folder = join(home, '.local', 'share', 'opencode')
  mkdirSync(folder, { recursive: true })
  file = join(folder, 'opencode.db')
  database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE event (id text PRIMARY KEY, aggregate_id text NOT NULL, seq integer NOT NULL, type text NOT NULL, data text NOT NULL);
    CREATE TABLE session (id text PRIMARY KEY, parent_id text);
    INSERT INTO session VALUES ('ses_a', NULL), ('ses_child', 'ses_a')`)
})

afterEach(() => {
  if (database.isOpen) database.close()
  rmSync(home, { recursive: true, force: true })
})

let seq = 0
function write(session: string, ...rows: readonly string[]): void {
  const insert = database.prepare('INSERT INTO event VALUES (?, ?, ?, ?, ?)')
  for (const line of rows) {
    const { type, data } = JSON.parse(line) as { type: string; data: object }
    insert.run(`evt_${(seq += 1)}`, session, seq, type, JSON.stringify(data))
  }
}

async function moments(named: string, wanted: string | null) {
  const found = await recall.call(named, wanted)
  const events = found === null ? [] : [found.before, ...(found.after === null ? [] : [found.after])]
  return { found, moments: events.map((event) => opencode?.decode(event, 0)).flatMap((one) => (one?.ok === true ? [one.moment] : [])) }
}

test('a call is read back as what the plugin posted, in its last state', async () => {
  const running = tool('a1', 'c1', 'bash', { status: 'running', input: { command: 'npm test' }, time: { start: 5 } })
  write('ses_a', step('a1'), answer('a1'), running, ran('a1', 'c1', 'npm test', 'red', 1))
  expect((await moments(file, 'c1')).moments).toMatchObject([
    {
      kind: 'before-tool',
      context: 'opencode/ses_a',
      deliveryId: 'ses_a/tool.execute.before/a1/c1',
      cwd: '/home/dev/project',
      call: { tool: 'shell', command: 'npm test' },
    },
    { kind: 'after-tool', result: { state: 'failed', exitCode: 1, output: 'red' } },
  ])
})

test('the last call of all sessions, of one session, of a subagent; of equal ids the newest', async () => {
  write('ses_a', step('a1'), ran('a1', 'c1', 'one', ''), step('a2'), ran('a2', 'c1', 'two', ''))
  write('ses_child', step('b1'), ran('b1', 'c9', 'three', ''))
  expect((await moments(file, null)).moments[0]).toMatchObject({ session: 'ses_a', agent: 'ses_child', call: { command: 'three' } })
  expect((await moments(`${file}#ses_a`, null)).moments[0]).toMatchObject({ agent: null, call: { command: 'two' } })
  expect((await moments(file, 'c1')).moments[0]).toMatchObject({ call: { command: 'two' } })
  expect(await recall.call(`${file}#ses_a`, 'c9')).toBeNull()
})

test('one that failed, one that a rule denied, one that still runs', async () => {
  write('ses_a', step('a1'), failed('a1', 'c1', 'File not found', 'read', { filePath: '/x' }))
  expect((await moments(file, 'c1')).moments[1]).toMatchObject({
    kind: 'after-tool',
    result: { state: 'failed', output: 'File not found' },
  })
  write('ses_a', failed('a1', 'c2', 'Not a failure: rule "X" must be known first.', 'bash', { command: 'ls' }))
  expect((await moments(file, 'c2')).found).toMatchObject({ wasDenied: true, after: null })
  write('ses_a', tool('a1', 'c3', 'bash', { status: 'running', input: { command: 'ls' } }))
  expect((await moments(file, 'c3')).found).toMatchObject({ wasDenied: false, after: null })
})

test('the database is found as the program finds it; a file of another kind holds no call', async () => {
  expect(recall.files({ home, env: {} }, null, null)).toEqual([file])
  expect(recall.files({ home, env: {} }, 'ses_a', null)).toEqual([`${file}#ses_a`])
  expect(recall.files({ home, env: {} }, 'ses_a', 'ses_child')).toEqual([`${file}#ses_child`])
  expect(recall.files({ home: '/nowhere', env: { OPENCODE_DB: file } }, null, null)).toEqual([file])
  expect(recall.files({ home: '/nowhere', env: {} }, null, null)).toEqual([])
  writeFileSync(join(home, 'x.jsonl'), '{"type":"user"}\n')
  expect(await recall.call(join(home, 'x.jsonl'), null)).toBeNull()
  expect(await recall.call(join(home, 'missing'), null)).toBeNull()
})
