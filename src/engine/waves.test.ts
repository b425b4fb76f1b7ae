/** A harness that does not tell when the calls of one reply are done: its records do. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as grok from '../harness/grok/session.fixture.ts'
import { Desk } from './engine.fixture.ts'

const COMMIT = '---\ntitle: Commit messages\nmust-know: true\nwhen:\n  - command: git commit\n---\nImperative subject.\n'
const SESSION = '00000000-0000-7000-8000-000000000001'

let desk: Desk
let history: string
beforeEach(() => {
  desk = new Desk({ commit: COMMIT })
  history = join(desk.folder, '.grok', 'sessions', encodeURIComponent(desk.project), SESSION, 'chat_history.jsonl')
  mkdirSync(dirname(history), { recursive: true })
})
afterEach(() => desk.end())

const write = (...lines: readonly string[]) => appendFileSync(history, lines.map((line) => `${line}\n`).join(''))

async function tell(event: string, call: string, more: object): Promise<string> {
  const snake = event.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
  const body = {
    hookEventName: snake,
    hook_event_name: event,
    sessionId: SESSION,
    cwd: desk.project,
    toolUseId: call,
    transcriptPath: join(dirname(history), 'updates.jsonl'),
    ...more,
  }
  const told = await desk.engine.moment({ harness: 'grok', event: body, delivery: null, off: false, arrived: performance.now() })
  if (!told.ok) throw new Error(told.why)
  if (told.delivery !== null) desk.engine.settle(told.delivery, 'handed')
  // the renderer's own answer
  return told.answer.status === 204 ? '' : ((told.answer.body as { reason?: string }).reason ?? '')
}

/** The reason of the deny; empty: let through. */
function commit(call: string): Promise<string> {
  return tell('PreToolUse', call, { toolName: 'run_terminal_command', toolInput: { command: 'git commit' } })
}

test('law 6, G19: a call of the same reply is no retry, although the deny of its sibling is on record', async () => {
  write(grok.typed('go'), grok.calls(grok.shell('a', 'git commit'), grok.shell('b', 'git commit')))
  const denied = await commit('a')
  expect(denied).toContain('Imperative subject.')
  write(grok.denied('a', denied))
  expect(await commit('b')).not.toBe('')
})

test('G21: a call of another reply is a retry, and is let through, although its line comes while its hook already waits', async () => {
  write(grok.typed('go'), grok.calls(grok.shell('a', 'git commit')))
  const denied = await commit('a')
  write(grok.denied('a', denied))
  const retry = commit('b')
  setImmediate(() => write(grok.calls(grok.shell('b', 'git commit'))))
  expect(await retry).toBe('')
})

test('law 7, X3: a rule that is too long for the reason is named by its note, and a read of the note lifts the gate', async () => {
  desk.rule('commit', COMMIT.replace('Imperative subject.', 'A long line of the rule.\n'.repeat(40)))
  const note = /Read (\S+\.md)/.exec(await commit('a'))?.[1] ?? ''
  expect(readFileSync(note, 'utf8')).toContain('A long line of the rule.')
  const read = { toolName: 'read_file', toolInput: { target_file: note } }
  await tell('PreToolUse', 'r', read)
  await tell('PostToolUse', 'r', { ...read, toolResult: { type: 'ReadFile', FileContent: { absolute_path: note, content: 'x' } } })
  expect(await commit('b')).toBe('')
})
