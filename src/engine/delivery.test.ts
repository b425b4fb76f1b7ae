/** What counts as the same moment told twice, and what does not. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Desk } from './engine.fixture.ts'
import { ANSWERS_KEPT_MS } from './retention.ts'

const FORCE = '---\ntitle: Force\nforbid: true\nwhen:\n  - command: git push --force\n---\nNever.\n'
const COMMIT = '---\ntitle: Commit messages\nmust-know: true\nwhen:\n  - command: git commit\n---\nImperative subject.\n'

let desk: Desk
beforeEach(() => (desk = new Desk({ force: FORCE, commit: COMMIT })))
afterEach(() => desk.end())

test('law 5, T12: a call that bears the id of an earlier one is a moment of its own: neither passed nor held for it', async () => {
  await desk.start()
  expect((await desk.bash('ls', 'call_0')).status).toBe(204)
  expect((await desk.bash('git push --force', 'call_0')).decision).toBe('deny')
  expect((await desk.bash('git commit', 'call_9')).decision).toBe('deny')
  expect((await desk.bash('ls', 'call_9')).status).toBe(204)
  expect(desk.log().filter(({ kind }) => kind === 'before-tool')).toHaveLength(4)
})

test('law 4: a repeat that comes too late to be decided about gets the reply that was', async () => {
  await desk.start()
  const event = { session_id: desk.session, transcript_path: desk.records, cwd: desk.project, hook_event_name: 'PreToolUse' }
  const post = (command: string, arrived: number) =>
    desk.engine.moment({
      harness: 'claude-code',
      event: { ...event, tool_name: 'Bash', tool_input: { command }, tool_use_id: 'call_0' },
      delivery: null,
      off: false,
      arrived,
    })
  const told = await post('git push --force', performance.now())
  expect(told).toMatchObject({ answer: { status: 200 } })
  const longAgo = performance.now() - 60_000
  expect(await post('git push --force', longAgo)).toEqual(told)
  expect(await post('git push --force origin', longAgo)).toMatchObject({ answer: { status: 204 } })
  expect(desk.engine.health().counters).toMatchObject({ moments_late: 1 })
})

test('the same with both at once', async () => {
  await desk.start()
  const [first, second] = await Promise.all([desk.bash('ls', 'call_0'), desk.bash('git push --force', 'call_0')])
  expect([first.status, second.decision]).toEqual([204, 'deny'])
})

test('law 4: the same call told again gets the same answer, as long as that is kept; later it is decided anew', async () => {
  await desk.start()
  const told = await desk.bash('git push --force', 'call_0')
  expect(told.decision).toBe('deny')
  expect(await desk.bash('git push --force', 'call_0')).toEqual(told)
  const later = Date.now() + ANSWERS_KEPT_MS + 1_000
  // the clock of a running engine follows no leap
  await desk.restart()
  desk.now = () => later
  const again = await desk.bash('git push --force', 'call_0')
  expect(again.decision).toBe('deny')
  expect(again.delivery).not.toBe(told.delivery)
  expect(desk.log().filter(({ outcome }) => outcome === 'denied')).toHaveLength(2)
})
