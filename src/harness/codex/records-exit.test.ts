import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { recordedExitCode } from './records-exit.ts'
import { isRollout } from './records.ts'
import * as r from './rollout.fixture.ts'

let root = ''
let file = ''

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-codex-')))
  const folder = join(root, 'sessions', '2026', '11', '30')
  mkdirSync(folder, { recursive: true })
  file = join(folder, 'rollout-2026-11-30T14-31-00-x.jsonl')
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

const write = (...lines: readonly string[]) => writeFileSync(file, `${lines.join('\n')}\n`)

test('of the recorded calls, in code mode too', () => {
  write(...r.recordedRollouts().flatMap((name) => r.recorded(name.replace('.jsonl', ''))))
  const codes = ['c_ok', 'c_fail', 'c_par3', 'c_bg', 'exec-00000000-0000-7000-8000-000000000076', 'c_patch', 'c_none'].map((call) =>
    recordedExitCode(file, call),
  )
  expect(codes).toEqual([0, 3, 1, 4, 3, null, null])
})

test('R6: by the whole id', () => {
  write(r.ranShell('prior-c1', 'x', 0), r.ranShell('c1', 'x', 5), r.ranShell('c12', 'x', 0))
  expect(recordedExitCode(file, 'c1')).toBe(5)
})

test('R8: a missing exit code is none', () => {
  write(r.ranShell('c1', 'x', null))
  expect(recordedExitCode(file, 'c1')).toBeNull()
})

test('behind a long output of another call, and before a half-written line', () => {
  write(r.ranShell('c1', 'x', 5), r.ranShell('c2', 'y'.repeat(300_000), 0))
  appendFileSync(file, '{"timestamp":"2026')
  expect(recordedExitCode(file, 'c1')).toBe(5)
})

test('no other file is opened: a path outside, a link, a folder, none', () => {
  const outside = join(root, 'rollout-x.jsonl')
  writeFileSync(outside, `${r.ranShell('c1', 'x', 5)}\n`)
  symlinkSync(outside, file)
  expect(recordedExitCode(outside, 'c1')).toBeNull()
  expect(recordedExitCode(file, 'c1')).toBeNull()
  rmSync(file)
  expect(recordedExitCode(file, 'c1')).toBeNull()
  mkdirSync(file)
  expect(recordedExitCode(file, 'c1')).toBeNull()
})

test('where Codex keeps its records', () => {
  expect(isRollout(file)).toBe(true)
  for (const path of [
    'sessions/2026/11/30/rollout-x.jsonl',
    `${root}/sessions/2026/11/30/../30/rollout-x.jsonl`,
    `${root}/sessions/rollout-x.jsonl`,
    '/etc/passwd',
  ])
    expect(isRollout(path)).toBe(false)
})
