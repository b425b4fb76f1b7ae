import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { Desk, textsIn } from './engine.fixture.ts'

const COMMIT = '---\ntitle: Commit messages\nmust-know: true\nwhen:\n  - command: git commit\n---\nImperative subject.\n'
const START = '---\ntitle: House rules\nwhen:\n  - session: start\n---\nBe kind.\n'

let desk: Desk
afterEach(() => desk.end())

/** A held commit whose text was shown. */
async function shown(): Promise<void> {
  desk.answers({ id: 'toolu_a', command: 'git commit' })
  const denied = await desk.bash('git commit', 'toolu_a')
  desk.isDenied('toolu_a', denied.reason)
  desk.arrives('PreToolUse', 'toolu_a', denied.text)
  await desk.batchEnd('toolu_a')
  desk.answers({ id: 'toolu_b', command: 'git commit' })
}

test("G13: the harness's own decider refuses the retry: the gate stays lifted, and the next retry is not held again", async () => {
  desk = new Desk({ commit: COMMIT })
  await desk.start()
  await desk.prompt()
  await shown()
  const call = { tool_name: 'Bash', tool_input: { command: 'git commit' }, tool_use_id: 'toolu_b' }
  expect((await desk.bash('git commit', 'toolu_b')).status).toBe(204)
  expect((await desk.tell('PermissionDenied', { ...call, reason: 'Classifier unavailable' })).status).toBe(204)
  await desk.batchEnd('toolu_b')
  expect((await desk.bash('git commit', 'toolu_c')).status).toBe(204)
  expect(desk.outcomes('rules/commit')).toEqual(['shown', 'lifted', 'lifted'])
})

test('G22: a rule too long for one answer is held with a pointer, and lifts by a read of its own file', async () => {
  desk = new Desk({})
  const file = desk.rule('commit', COMMIT.replace('Imperative subject.', 'A long line of the rule.\n'.repeat(800)))
  await desk.start()
  await desk.prompt()
  const denied = await desk.bash('git commit', 'toolu_a')
  expect(denied.text).toContain(`Read before you go on: ${file}`)
  await desk.batchEnd('toolu_a')
  await desk.bash(`cat ${file}`, 'toolu_r')
  await desk.bashDone(`cat ${file}`, 'toolu_r', readFileSync(file, 'utf8'))
  await desk.batchEnd('toolu_r')
  expect((await desk.bash('git commit', 'toolu_b')).status).toBe(204)
})

test('T8: after a compaction the rules are served again, once, whatever asks and however often', async () => {
  desk = new Desk({ house: START, commit: COMMIT })
  const started = await desk.start()
  await desk.prompt()
  desk.arrives('SessionStart', 'SessionStart', started.text)
  await shown()
  expect((await desk.bash('git commit', 'toolu_b')).status).toBe(204)
  // the same hook stands in two settings files, or two processes post the same event at once
  const [one, two] = await Promise.all([desk.start('compact'), desk.start('compact')])
  expect([one, two].map(({ text }) => textsIn(text))).toEqual([['Be kind.'], ['Be kind.']])
  expect(desk.log().flatMap(({ event, epoch }) => (event === 'SessionStart' ? [epoch] : []))).toEqual([0, 1])
  expect((await desk.prompt()).status).toBe(204)
  expect((await desk.bash('git commit', 'toolu_c')).decision).toBe('deny')
})

test('T5: a command that is more than can be looked at is an outcome of its own, counted and told', async () => {
  desk = new Desk({ commit: COMMIT })
  await desk.start()
  expect((await desk.bash(`${'$('.repeat(5_000)}git commit${')'.repeat(5_000)}`)).status).toBe(204)
  expect(desk.log().at(-1)).toMatchObject({ outcome: 'not_analysed', why: expect.stringMatching(/\w/) })
  const { counters, problems } = desk.engine.health()
  expect(counters['not_analysed']).toBe(1)
  expect(problems.map(({ code }) => code)).toContain('not_analysed')
})

test('S9: an event that the harness no longer writes as it was is told in health, and never taken for all is well', async () => {
  desk = new Desk({ commit: COMMIT })
  for (const event of [{}, { hook_event_name: 'PreToolUse' }, { hook_event_name: 'PreToolUse', session_id: 's' }, []]) {
    const told = await desk.engine.moment({ harness: 'claude-code', event, delivery: null, off: false, arrived: performance.now() })
    expect(told.ok).toBe(false)
  }
  const { counters, problems } = desk.engine.health()
  expect(counters['not_analysed']).toBe(4)
  expect(problems).toContainEqual(expect.objectContaining({ code: 'not_analysed', message: expect.stringContaining('claude-code') }))
})
