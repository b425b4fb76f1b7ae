/** Sessions that keep no records: nothing can be proven, yet a wave is held as a whole, and one deny is enough. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Desk } from './engine.fixture.ts'

const gate = (command: string): string => `---\ntitle: Gate\nmust-know: true\nwhen:\n  - command: ${command}\n---\nHow to ${command}.\n`

let desk: Desk
beforeEach(() => (desk = new Desk({ commit: gate('git commit'), push: gate('git push') })))
afterEach(() => desk.end())

async function wave(command: string): Promise<void> {
  const calls = [desk.newCall(), desk.newCall(), desk.newCall()]
  const told = []
  for (const call of calls) told.push(await desk.bash(command, call))
  expect(told.map(({ decision }) => decision)).toEqual(['deny', 'deny', 'deny'])
  expect(told.map(({ text }) => text.includes(`How to ${command}.`))).toEqual([true, false, false])
  await desk.batchEnd(...calls)
}

test('laws 6 and 8, G18: all calls of a wave are held, its text sent once, and the first call of the next wave passes', async () => {
  await desk.start()
  await wave('git commit')
  expect((await desk.bash('git commit')).decision).toBeUndefined()
  // the session is known to have none by now
  await desk.batchEnd()
  await wave('git push')
  expect((await desk.bash('git push')).decision).toBeUndefined()
  const lifts = desk.log().flatMap(({ gates }) => gates.map(({ entry, lift }) => `${entry} ${lift}`))
  expect(lifts).toEqual(['rules/commit assumed', 'rules/push assumed'])
})

test('law 8: one deny is enough too of a rule that is too long and was named by its file', async () => {
  desk.rule('commit', `${gate('git commit')}${'A long line of the rule.\n'.repeat(400)}`)
  await desk.start()
  const call = desk.newCall()
  const told = await desk.bash('git commit', call)
  expect([told.decision, told.text.includes('A long line')]).toEqual(['deny', false])
  await desk.batchEnd(call)
  expect((await desk.bash('git commit')).decision).toBeUndefined()
})

test('law 6: a session that names no records at all is looked at between the calls of a wave, and they are held all the same', async () => {
  const commit = (call: string) =>
    desk.tell('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'git commit' }, tool_use_id: call, transcript_path: null })
  expect((await commit('a')).decision).toBe('deny')
  await desk.engine.drain()
  expect((await commit('b')).decision).toBe('deny')
  await desk.tell('PostToolBatch', { tool_calls: [], transcript_path: null })
  expect((await commit('c')).decision).toBeUndefined()
})
