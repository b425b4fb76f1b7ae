import { afterEach, expect, test } from 'vitest'
import { HARNESSES } from '../harness/all.ts'
import { Desk } from './engine.fixture.ts'
import { answerProbe, isProbe, PROBE_SESSION } from './probe.ts'

let desk: Desk | null = null
afterEach(async () => {
  await desk?.end()
  desk = null
})

const RULE = '---\nmust-know: true\nwhen:\n  - command: git commit\n---\nSubject in the imperative.\n'
const CALL = { tool_name: 'Bash', tool_input: { command: 'git commit -m x' }, tool_use_id: 'toolu_1', session_id: `${PROBE_SESSION}1` }

test('a test moment is answered with what it was understood as; no rule is served or held, nothing is logged or counted', async () => {
  desk = new Desk({ commits: RULE })
  const told = await desk.tell('PreToolUse', CALL)
  expect(told).toMatchObject({ status: 200, text: `[ContextMD ${PROBE_SESSION}1] understood as before-tool shell`, delivery: null })
  expect(told.decision).toBeUndefined()
  expect((await desk.tell('SessionStart', { session_id: `${PROBE_SESSION}2`, source: 'startup' })).text).toContain('session-start')
  expect(desk.engine.log({ newest: true, limit: 10 })).toEqual([])
  expect(desk.engine.logbook.threads(10)).toEqual([])
  expect(desk.engine.health().counters).toEqual({})
})

test('it is answered while serving is off', async () => {
  desk = new Desk()
  desk.engine.off(null)
  expect((await desk.tell('PreToolUse', CALL)).status).toBe(200)
})

test('a session of an agent is none, whatever it is called', () => {
  const [harness] = HARNESSES
  const event = { ...CALL, hook_event_name: 'PreToolUse', cwd: '/home/dev', session_id: `x-${PROBE_SESSION}1` }
  const decoded = harness?.decode(event, 0)
  expect(decoded?.ok === true && isProbe(decoded.moment)).toBe(false)
})

test('where a harness takes no text there is no answer', () => {
  const [harness] = HARNESSES
  const decoded = harness?.decode({ ...CALL, hook_event_name: 'Stop', cwd: '/home/dev' }, 0)
  if (harness === undefined || decoded?.ok !== true) throw new Error('no event')
  expect(answerProbe(harness, decoded.moment)).toEqual({ status: 204 })
})
