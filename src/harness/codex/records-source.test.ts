import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { codexRecords } from './records.ts'
import * as r from './rollout.fixture.ts'

const records = codexRecords(() => [])
const held = (...claims: readonly string[]) => ({ kind: 'held', claims })
let root = ''

beforeEach(() => (root = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-codex-')))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

function put(day: string, thread: string, lines: readonly string[]): string {
  const folder = join(root, 'sessions', '2026', '11', day)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `rollout-2026-11-${day}T10-00-00-${thread}.jsonl`)
  writeFileSync(file, lines.map((line, ordinal) => `${line.replace(/"ordinal":\d+/, `"ordinal":${ordinal}`)}\n`).join(''))
  return file
}

function forkOf(thread: string, before: number): string {
  const payload = { id: 'x', forked_from_id: thread, forked_from_ordinal_exclusive: before }
  return JSON.stringify({ timestamp: '2026-01-05T09:00:00.000Z', ordinal: 0, type: 'session_meta', payload })
}

async function factsOf(file: string, wantsHeld = true) {
  const source = records.open?.(file)
  if (source === undefined) throw new Error('the records have no source of their own')
  const watch = r.watchOf({ wantsHeld })
  expect(
    await source.readOn(
      0,
      () => watch,
      () => false,
    ),
  ).toBe('end')
  return source.scan?.facts(watch)
}

const parent = [r.context(3, 0, r.marked('a.1', 'x')), r.says(4, 3), r.context(5, 3, r.marked('b.1', 'y')), r.says(6, 5)]

test('T7: a fork holds what stood in the other conversation, up to where it left it', async () => {
  put('29', 'parent', parent)
  expect(await factsOf(put('30', 'fork', [forkOf('parent', 4)]))).toEqual([held('a.1', 'b.1')])
  expect(await factsOf(put('30', 'rewound', [forkOf('parent', 2), r.context(5, 3, r.marked('c.1', 'z'))]))).toEqual([held('a.1', 'c.1')])
})

test('a fork of a fork', async () => {
  put('29', 'parent', parent)
  put('30', 'child', [forkOf('parent', 2), r.context(5, 3, r.marked('c.1', 'z')), r.says(6, 5)])
  expect(await factsOf(put('30', 'grandchild', [forkOf('child', 3)]))).toEqual([held('a.1', 'c.1')])
})

test('a compaction of the fork takes out what it replayed', async () => {
  put('29', 'parent', parent)
  const lines = [forkOf('parent', 4), r.says(7, 6), r.compacted('w1'), r.context(12, 6, r.marked('d.1', 'z'))]
  expect(await factsOf(put('30', 'fork', lines))).toEqual([{ kind: 'compacted', mark: 'w1' }, held('d.1')])
})

test('the other file is missing, a ring, or named by a path: then it is told what its own file says', async () => {
  expect(await factsOf(put('30', 'fork', [forkOf('gone', 4)]))).toEqual([])
  expect(await factsOf(put('30', 'fork', [forkOf('gone', 4), r.says(7, 6)]))).toEqual([held()])
  expect(await factsOf(put('30', 'ring', [forkOf('ring', 1)]))).toEqual([held()])
  expect(await factsOf(put('30', 'fork', [forkOf('../../../x', 4), r.says(7, 6)]))).toEqual([held()])
})

test('it is read only when it is asked what the conversation holds', async () => {
  put('29', 'parent', parent)
  expect(await factsOf(put('30', 'fork', [forkOf('parent', 4)]), false)).toEqual([])
})
