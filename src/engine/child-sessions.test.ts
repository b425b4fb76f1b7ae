/** A subagent whose session is its own, as Grok Build has it: its parent tells of its start, beside its first moments and not before them. */
import { performance } from 'node:perf_hooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Desk } from './engine.fixture.ts'

const COMMIT = '---\ntitle: Commit messages\nmust-know: true\nwhen:\n  - command: git commit\n---\nImperative subject.\n'
const PARENT = '00000000-0000-7000-8000-000000000001'
const CHILD = '00000000-0000-7000-8000-000000000002'
const RUNS = [1, 2].map((number) => `grok/${PARENT}#${number}`)

let desk: Desk
/** No two events have one time: it is a part of their ids. */
let told = 0
beforeEach(() => {
  desk = new Desk({ commit: COMMIT })
})
afterEach(() => desk.end())

async function tell(session: string, event: string, more: object = {}): Promise<void> {
  const hookEventName = event.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
  told += 1
  const timestamp = new Date(Date.UTC(2026, 10, 30) + told).toISOString()
  const body = { hookEventName, hook_event_name: event, sessionId: session, cwd: desk.project, timestamp, ...more }
  const answered = await desk.engine.moment({ harness: 'grok', event: body, delivery: null, off: false, arrived: performance.now() })
  if (!answered.ok) throw new Error(answered.why)
  if (answered.delivery !== null) desk.engine.settle(answered.delivery, 'handed')
}

const child = { subagentType: 'general-purpose' }
const prompt = (promptId: string) => tell(PARENT, 'UserPromptSubmit', { promptId, prompt: 'Let somebody help' })
const started = () => tell(PARENT, 'SubagentStart', { ...child, subagentId: CHILD })
const childPrompt = (promptId = 'c1') => tell(CHILD, 'UserPromptSubmit', { ...child, promptId, prompt: 'Help' })
const commit = (toolUseId: string) =>
  tell(CHILD, 'PreToolUse', { ...child, toolUseId, toolName: 'run_terminal_command', toolInput: { command: 'git commit' } })
const ended = () => tell(CHILD, 'SessionEnd', { ...child, reason: 'shutdown' })

/** Thread and run of the child's moments, a line each. */
const joined = () =>
  desk.engine
    .log({})
    .filter(({ session }) => session === CHILD)
    .map(({ event, thread, run }) => `${event} ${thread} ${run}`)

const inRun = (event: string, run: string | undefined) => `${event} grok/${PARENT} ${run}`

test('T9: it works in the run of the session that started it', async () => {
  await prompt('p1')
  await started()
  await childPrompt()
  await commit('a')
  await ended()
  expect(joined()).toEqual(['SubagentStart', 'UserPromptSubmit', 'PreToolUse', 'SessionEnd'].map((event) => inRun(event, RUNS[0])))
})

test('T9: told late, it is joined from then on', async () => {
  await prompt('p1')
  await childPrompt()
  await commit('a')
  await started()
  await commit('b')
  expect(joined()).toEqual([
    `UserPromptSubmit grok/${CHILD} grok/${CHILD}#1`,
    `PreToolUse grok/${CHILD} grok/${CHILD}#1`,
    inRun('SubagentStart', RUNS[0]),
    inRun('PreToolUse', RUNS[0]),
  ])
})

test('T9: gone on with in a later run, also by another server, it works in that one', async () => {
  await prompt('p1')
  await started()
  await childPrompt()
  await ended()
  await tell(PARENT, 'Stop', { reason: 'end_turn' })
  await desk.restart()
  await commit('a')
  await prompt('p2')
  await started()
  await childPrompt('c2')
  expect(joined().slice(3)).toEqual([inRun('PreToolUse', RUNS[0]), inRun('SubagentStart', RUNS[1]), inRun('UserPromptSubmit', RUNS[1])])
})

test('a child whose start was never told is a thread of its own; so is one whose parent is not known', async () => {
  await childPrompt()
  expect(joined()).toEqual([`UserPromptSubmit grok/${CHILD} grok/${CHILD}#1`])
  await started()
  expect(joined().at(-1)).toBe(`SubagentStart grok/${CHILD} grok/${CHILD}#1`)
})
