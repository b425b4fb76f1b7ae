import { expect, test } from 'vitest'
import { id, type CallId } from '../core/id.ts'
import type { MomentOf, ToolCall, ToolResult } from '../core/moment.ts'
import { entryHead } from '../match/entry-read.ts'
import { hasLineOf } from '../match/reads.ts'
import { subject } from '../match/subject.fixture.ts'
import type { GateFiles } from './gate-files.ts'
import { readFilesOf } from './read-files.ts'

const FILE = '/home/dev/app/docs/rule.md'
const TEXT = 'Use Conventional Commits.\nSubject in the imperative.\n'
const FILES: GateFiles = {
  find: (path) => (path === FILE ? [FILE] : []),
  gatesOf: () => [],
  textOf: () => [],
  watch: () => [],
  hasLineIn: (_, text) => hasLineOf(TEXT)(text),
}

function reads(command: string, result: Partial<ToolResult>): readonly string[] {
  const call: ToolCall = { id: id<CallId>('c'), tool: 'shell', harnessTool: 'Bash', command, cwd: '/home/dev/app', paths: [] }
  const { moment } = subject({ kind: 'after-tool', call, result: { state: 'ok', output: TEXT, ...result } })
  // made as one just above
  return readFilesOf(moment as MomentOf<'after-tool'>, FILES, '/home/dev')
}

test.each(['cat docs/rule.md', '/bin/cat docs/rule.md', '/usr/bin/head -n 1 docs/rule.md', `cat ${FILE}`])(
  'R9: %s is a read',
  (command) => {
    expect(reads(command, {})).toEqual([FILE])
  },
)

test('R8: without a word of success there is none: unknown, failed, or an exit code that is not there', () => {
  expect(reads('cat docs/rule.md', { state: 'unknown' })).toEqual([])
  expect(reads('cat docs/rule.md', { state: 'failed' })).toEqual([])
  expect(reads('cat docs/rule.md', { state: 'failed', exitCode: 1 })).toEqual([])
})

test('a result in which no line of the file stands is no read of it', () => {
  expect(reads('cat docs/rule.md', { output: 'something else' })).toEqual([])
})

test.each([
  ['the read tool', 'read', 'read', false, [FILE]],
  ['a whole write', 'write', 'write', true, [FILE]],
  ['a part that is written', 'edit', 'write', false, []],
  ['a search that names the file', 'search', 'read', false, []],
] as const)('R10: %s', (_, tool, access, whole, expected) => {
  const paths = [{ path: FILE, real: FILE, access, whole }]
  const call: ToolCall = { id: id<CallId>('c'), tool, harnessTool: tool, cwd: '/home/dev/app', paths }
  const told = (state: ToolResult['state']) => {
    const { moment } = subject({ kind: 'after-tool', call, result: { state, output: '' } })
    // made as one just above
    return readFilesOf(moment as MomentOf<'after-tool'>, FILES, '/home/dev')
  }
  expect(told('ok')).toEqual(expected)
  expect(told('failed')).toEqual([])
})

test.each([
  ['mcp:contextmd/read_entry', `${entryHead('rules/rule', 'Rule', FILE)}\n\n${TEXT}`, [FILE]],
  ['contextmd_read_entry', `${entryHead('rules/rule', 'Rule', FILE)}\n\n${TEXT}`, [FILE]],
  ['mcp:contextmd/read_entry', `${entryHead('rules/rule', 'Rule', FILE)}\n\nsomething else`, []],
  ['mcp:contextmd/read_entry', `${entryHead('rules/rule', 'Rule', '/home/dev/else.md')}\n\n${TEXT}`, []],
  ['mcp:contextmd/search_entries', `${entryHead('rules/rule', 'Rule', FILE)}\n\n${TEXT}`, []],
])('R10: our own tool for agents: %s', (tool, output, expected) => {
  const call: ToolCall = { id: id<CallId>('c'), tool, harnessTool: tool, cwd: '/home/dev/app', paths: [] }
  const { moment } = subject({ kind: 'after-tool', call, result: { state: 'ok', output } })
  // made as one just above
  expect(readFilesOf(moment as MomentOf<'after-tool'>, FILES, '/home/dev')).toEqual(expected)
})
