import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { Desk } from '../engine/engine.fixture.ts'
import { OWN_FILES } from './own-files.ts'
import { OWN_FILES_TOUCHED } from './touched.ts'

const COMMIT = '---\ntitle: Commit messages\nmust-know: true\nwhen:\n  - command: git commit\n---\nImperative subject.\n'

let desk: Desk
afterEach(() => desk.end())

async function begin(): Promise<void> {
  desk = new Desk({ commit: COMMIT })
  await desk.start()
  await desk.prompt()
}

test('S18: an agent that removes its rules is held once, counted, and let through after it has read why', async () => {
  await begin()
  const command = `rm ${join(desk.rules, 'commit.md')}`
  desk.answers({ id: 'toolu_a', command })
  const held = await desk.bash(command, 'toolu_a')
  expect(held.decision).toBe('deny')
  expect(held.text).toContain('only if the person asked')
  desk.isDenied('toolu_a', held.reason)
  desk.arrives('PreToolUse', 'toolu_a', held.text)
  await desk.batchEnd('toolu_a')
  desk.answers({ id: 'toolu_b', command })
  expect((await desk.bash(command, 'toolu_b')).decision).toBeUndefined()
  expect(desk.outcomes(OWN_FILES)).toEqual(['shown', 'lifted'])
  const health = desk.engine.health()
  expect(health.counters[OWN_FILES_TOUCHED]).toBe(2)
  const problem = health.problems.find(({ code }) => code === OWN_FILES_TOUCHED)
  expect(problem?.message).toContain('claude-code (shell)')
  expect(JSON.stringify(problem)).not.toContain(desk.folder)
})

test('a write tool is held; reading the very file that a hold names is free', async () => {
  await begin()
  const file_path = join(desk.rules, 'commit.md')
  const write = await desk.tell('PreToolUse', {
    tool_name: 'Write',
    tool_input: { file_path, content: '' },
    tool_use_id: 'w',
    prompt_id: 'p',
  })
  expect(write.decision).toBe('deny')
  const read = await desk.tell('PreToolUse', { tool_name: 'Read', tool_input: { file_path }, tool_use_id: 'r', prompt_id: 'p' })
  expect(read.status).toBe(204)
})

test('a person can switch it off, and no entry of a store can take its place', async () => {
  await begin()
  desk.rule('mine', `---\nid: ${OWN_FILES}\nwhen:\n  - command: never\n---\nNothing.\n`)
  const command = `rm -rf ${desk.rules}`
  expect((await desk.bash(command, 'toolu_a')).decision).toBe('deny')
  expect(desk.engine.health().problems.map(({ code }) => code)).toContain('entry_shadowed')

  const stores = [{ name: 'rules', folder: desk.rules }]
  writeFileSync(desk.paths.serving, JSON.stringify({ stores, ownFiles: false }))
  expect((await desk.bash(command, 'toolu_b')).status).toBe(204)
  expect(desk.engine.entries().filter(({ store }) => store === 'contextmd')).toEqual([])
})
