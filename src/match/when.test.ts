import { describe, expect, test } from 'vitest'
import type { Scope, TriggerItem } from '../core/entry.ts'
import { id } from '../core/id.ts'
import type { AgentId, CallId } from '../core/id.ts'
import { compile } from './compile.ts'
import type { Subject } from './match.ts'
import { afterTool, beforeTool, entry, prompt, subject } from './subject.fixture.ts'

const matches = (when: readonly TriggerItem[], at: Subject, scope: Scope = {}) =>
  compile([entry({ when, scope })]).match(at).candidates.length === 1

const push = beforeTool({ command: 'git push' })

describe('each key speaks at its moments', () => {
  const start = subject({ kind: 'session-start', source: 'startup' }, { sessionTriggers: ['start'] })
  const moments: Readonly<Record<string, Subject>> = {
    start,
    subagent: subject({ kind: 'subagent-start' }, { sessionTriggers: ['subagent'] }),
    prompt: prompt('please git push'),
    machine: prompt('please git push', true),
    before: push,
    after: afterTool({ command: 'git push' }, { output: 'git push' }),
    stop: subject({ kind: 'stop', again: false }),
    batch: subject({ kind: 'batch-end', calls: [{ id: id<CallId>('c'), output: 'error: git push was denied' }] }),
    refused: subject({ kind: 'refused', call: { id: null, tool: 'shell', harnessTool: 'Bash', command: 'git push', cwd: '/', paths: [] } }),
  }
  const rows: readonly [TriggerItem, readonly string[]][] = [
    [{ session: ['start'] }, ['start']],
    [{ session: ['subagent', 'start'] }, ['start', 'subagent']],
    [{ session: ['compact'] }, []],
    [{ prompt: ['git push'] }, ['prompt']],
    [{ command: ['git push'] }, ['before']],
    [{ tool: ['shell'] }, ['before']],
    [{ output: ['git push'] }, ['after']],
    [{ command: ['git push'], output: ['push'] }, ['after']],
    [{ failed: false }, ['after']],
    [{ failed: true }, []],
    [{ command: ['git push'], prompt: ['git push'] }, []],
    [{ command: ['git push'], tool: ['edit'] }, []],
    [{}, []],
    [{ not: [{ prompt: ['x'] }] }, []],
  ]
  test.each(rows)('%j', (item, expected) => {
    expect(Object.keys(moments).filter((name) => matches([item], moments[name] ?? start))).toEqual(expected)
  })
})

test('a session pack that is still owed is served at a later moment', () => {
  expect(matches([{ session: ['compact'] }], { ...push, sessionTriggers: ['compact'] })).toBe(true)
})

test('the first item that matches is named', () => {
  const items = [{ prompt: ['x'] }, { command: ['git'] }, { tool: ['shell'] }]
  expect(compile([entry({ when: items })]).match(push).candidates[0]?.item).toBe(1)
})

describe('failed', () => {
  const failed = [{ command: ['npm test'], failed: true }]
  test.each([
    ['the harness says so', { state: 'failed' as const }, true],
    ['exit code', { state: 'ok' as const, exitCode: 2 }, true],
    ['unknown state with exit code', { state: 'unknown' as const, exitCode: 1 }, true],
    ['went well', { state: 'ok' as const, exitCode: 0 }, false],
    ['unknown', { state: 'unknown' as const }, false],
  ])('%s', (_, result, expected) => expect(matches(failed, afterTool({ command: 'npm test' }, result))).toBe(expected))

  test('M8: a failure that the command prints itself', () => {
    expect(matches(failed, afterTool({ command: 'npm test; echo "exit=$?"' }, { output: 'exit=1' }))).toBe(true)
    expect(matches(failed, afterTool({ command: 'npm test; echo "exit=$?"' }, { output: 'exit=0' }))).toBe(false)
  })
  test('M8: where the command could not be parsed, it is said', () => {
    const at = (command: string) =>
      compile([entry({ when: [{ failed: true }] })]).match(afterTool({ command }, { output: 'exit=1' })).notAnalysed
    expect(at(`${'a;'.repeat(20_000)} echo "exit=$?"`)).toBe('the command is too long')
    expect(at('a;'.repeat(20_000))).toBeNull()
  })
  test('M7: a call that was denied or refused is no failure', () => {
    const refused = { id: null, tool: 'shell', harnessTool: 'Bash', command: 'npm test', cwd: '/', paths: [] }
    expect(matches(failed, subject({ kind: 'refused', call: refused }))).toBe(false)
    expect(matches(failed, subject({ kind: 'batch-end', calls: [{ id: id<CallId>('c'), output: 'hook error: denied' }] }))).toBe(false)
  })
})

describe('not', () => {
  const item = { command: ['git push'], not: [{ command: ['git push --dry-run'] }] }
  test.each([
    ['git push', true],
    ['git push --dry-run', false],
    ['git push -n', false],
    ['git push --dry-run && git push', true],
    ['git push; git push -n', true],
    ['git push -n; git push -n', false],
  ])('on the same key it is about the very command: %s', (command, expected) =>
    expect(matches([item], beforeTool({ command }))).toBe(expected),
  )

  test('with other keys', () => {
    const edit = (path: string) =>
      beforeTool({ paths: [{ path: `/home/dev/app/${path}`, real: `/home/dev/app/${path}`, access: 'write' }] })
    const tests = [{ path: ['src/**'], not: [{ path: ['**/*.test.ts'] }, { tool: ['read'] }] }]
    expect(matches(tests, edit('src/a.ts'))).toBe(true)
    expect(matches(tests, edit('src/a.test.ts'))).toBe(false)
  })
  test('an empty one takes nothing away', () => expect(matches([{ command: ['git push'], not: [{}] }], push)).toBe(true))
  test('of what the moment does not have, it is not met', () => {
    expect(matches([{ command: ['git push'], not: [{ output: ['x'] }, { failed: true }] }], push)).toBe(true)
  })
  test('each command is judged with each path', () => {
    const pair = [{ command: ['rm'], path: ['src/**'], not: [{ command: ['rm -rf'], path: ['src/tmp/**'] }] }]
    expect(matches(pair, beforeTool({ command: 'rm -rf src/tmp/x' }))).toBe(false)
    expect(matches(pair, beforeTool({ command: 'rm -rf src/tmp/x src/a' }))).toBe(true)
    expect(matches(pair, beforeTool({ command: 'rm src/tmp/x' }))).toBe(true)
  })
})

describe('tool', () => {
  const mcp = beforeTool({ tool: 'mcp:github/create_issue', harnessTool: 'mcp__github__create_issue' })
  test.each([
    [['mcp:github/create_issue'], true],
    [['mcp:github/*'], true],
    [['mcp:*/create_*'], true],
    [['mcp:github'], true],
    [['mcp:*'], true],
    [['mcp__github__create_issue'], true],
    [['mcp__github__*'], true],
    [['mcp:gitlab/*'], false],
    [['mcp:github/create'], false],
    [['shell', 'edit'], false],
  ])('%j', (tool, expected) => expect(matches([{ tool }], mcp)).toBe(expected))
  test('the canonical name and the own one, whatever the case', () => {
    for (const tool of ['shell', 'Shell', 'Bash', 'bash']) expect(matches([{ tool: [tool] }], push)).toBe(true)
  })
})

describe('scope', () => {
  const sub = { ...push, moment: { ...push.moment, agent: id<AgentId>('a1'), agentType: 'Explore' } }
  const when = [{ tool: ['shell'] }]
  test.each<[Scope, boolean, boolean]>([
    [{}, true, true],
    [{ agents: ['main'] }, true, false],
    [{ agents: ['subagent'] }, false, true],
    [{ agents: ['explore'] }, false, true],
    [{ agents: ['plan'] }, false, false],
    [{ harnesses: ['claude-code', 'codex'] }, true, true],
    [{ harnesses: ['codex'] }, false, false],
    [{ projects: ['app'] }, true, true],
    [{ projects: ['a*'] }, true, true],
    [{ projects: ['web'] }, false, false],
    [{ projects: ['/home/dev/app'] }, true, true],
    [{ projects: ['/home/dev/app/'] }, true, true],
    [{ projects: ['~/app'] }, true, true],
    [{ projects: ['~'] }, true, true],
    [{ projects: ['/home/dev/ap'] }, false, false],
    [{ projects: ['/home/*/app'] }, true, true],
    [{ projects: ['https://github.com/acme/app'] }, true, true],
    [{ projects: ['git@github.com:acme/app.git'] }, true, true],
    [{ projects: ['ssh://git@github.com/acme/app.git'] }, true, true],
    [{ projects: ['github.com/acme/app'] }, true, true],
    [{ projects: ['acme/app'] }, true, true],
    [{ projects: ['acme/*'] }, true, true],
    [{ projects: ['other/app'] }, false, false],
    [{ projects: [] }, true, true],
  ])('%j', (scope, inMain, inSubagent) => {
    expect(matches(when, push, scope)).toBe(inMain)
    expect(matches(when, sub, scope)).toBe(inSubagent)
  })
})

test('an expired entry is no candidate', () => {
  const at = (expires: number) => compile([entry({ when: [{ tool: ['shell'] }], expires })]).match(push).candidates.length
  expect([at(999), at(1_000), at(1_001)]).toEqual([0, 0, 1])
})
