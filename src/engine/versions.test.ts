import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Moment } from '../core/moment.ts'
import type { Harness } from '../harness.ts'
import { HARNESSES } from '../harness/all.ts'
import { Problems } from './problems.ts'
import { isProven, Versions } from './versions.ts'

const harnessOf = (name: string): Harness => {
  const found = HARNESSES.find(({ profile }) => profile.name === name)
  if (found === undefined) throw new Error(name)
  return found
}

function moment(harness: Harness, event: object): Moment {
  const decoded = harness.decode(event, 0)
  if (!decoded.ok) throw new Error(decoded.why)
  return decoded.moment
}

function recordsFile(path: string, text: string | null): string {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-versions-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  if (text !== null) writeFileSync(file, text)
  return file
}

const CLAUDE = 'projects/-home-dev/00000000-0000-4000-8000-000000000001.jsonl'
const CODEX = 'sessions/2026/11/30/rollout-2026-11-30T14-31-00-00000000-0000-7000-8000-000000000001.jsonl'

async function seen(name: string, path: string, text: string | null): Promise<readonly string[]> {
  const harness = harnessOf(name)
  const problems = new Problems()
  const versions = new Versions(problems)
  const file = recordsFile(path, text)
  versions.seen(harness, moment(harness, { session_id: 's', hook_event_name: 'Stop', cwd: '/home/dev', transcript_path: file }))
  await versions.drain()
  return problems.current(0).map(({ message }) => message)
}

test.each([
  ['2.1.332', []],
  ['2.2.0', ['Claude Code 2.2.0: not proven on this version (proven: 2.1.332). It is served by what its events show.']],
])('Claude Code %s, by a line of its session file', async (version, told) => {
  const lines = [{ type: 'summary' }, { type: 'user', version, message: {} }].map((line) => JSON.stringify(line))
  expect(await seen('claude-code', CLAUDE, lines.join('\n'))).toEqual(told)
})

test('Codex, by the first line of its rollout, however long that is', async () => {
  const meta = { type: 'session_meta', payload: { id: 'x', cli_version: '0.180.1', instructions: 'x'.repeat(100_000) } }
  expect(await seen('codex', CODEX, `${JSON.stringify(meta)}\n`)).toEqual([expect.stringContaining('Codex 0.180.1: not proven')])
})

test('OpenCode, by the event itself', () => {
  const harness = harnessOf('opencode')
  const problems = new Problems()
  const event = {
    hook: 'tool.execute.before',
    version: '1.19.0',
    directory: '/home/dev',
    input: { sessionID: 'ses_1', tool: 'bash', callID: 'c' },
  }
  const versions = new Versions(problems)
  for (let time = 0; time < 3; time += 1) versions.seen(harness, moment(harness, event))
  expect(problems.current(0)).toMatchObject([
    { code: 'version_unproven', severity: 'info', message: expect.stringContaining('OpenCode 1.19.0') },
  ])
})

test('records that are not there, tell nothing, or tell nonsense: nothing is said', async () => {
  expect(await seen('claude-code', CLAUDE, null)).toEqual([])
  expect(await seen('claude-code', CLAUDE, 'not json\n{"version": "<script>"}\n{"version": 7}\n')).toEqual([])
  expect(await seen('codex', CODEX, '{"type":"response_item","payload":{"cli_version":"9.9.9"}}\n')).toEqual([])
})

test('a path that the harness would not keep records at is not opened', async () => {
  expect(await seen('claude-code', 'elsewhere/session.jsonl', '{"version":"9.9.9"}\n')).toEqual([])
})

test('a file that comes later is looked at again', async () => {
  const harness = harnessOf('claude-code')
  const problems = new Problems()
  const versions = new Versions(problems)
  const file = recordsFile(CLAUDE, null)
  const stop = moment(harness, { session_id: 's', hook_event_name: 'Stop', cwd: '/home/dev', transcript_path: file })
  versions.seen(harness, stop)
  await versions.drain()
  writeFileSync(file, '{"type":"user","version":"3.0.0"}\n')
  versions.seen(harness, stop)
  await versions.drain()
  expect(problems.current(0)).toHaveLength(1)
})

test.each([
  ['1.2.3', true],
  ['1.3.0', true],
  ['1.10.0', true],
  ['1.10.1', false],
  ['1.2.2', false],
  ['0.9.9', false],
  ['2.0.0', false],
  ['1.3.0-beta', false],
  ['1.3', false],
  ['', false],
])('of 1.2.3 to 1.10.0, %s is proven: %s', (version, proven) => {
  expect(isProven(version, { from: '1.2.3', to: '1.10.0' })).toBe(proven)
})
