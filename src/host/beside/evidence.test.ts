import { appendFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { temporaryBase, World } from '../t3code/world.fixture.ts'
import { batchOf, BesideServer } from './beside-server.fixture.ts'

const COMMIT = '---\ntitle: Commit\nmust-know: true\nwhen:\n  - command: git commit\n---\nImperative subject.\n'
const PUSH = '---\ntitle: Push\nmust-know: true\nwhen:\n  - command: git push\n---\nPull first.\n'
const S = '00000000-0000-4000-8000-00000000000a'
/** The harness says that it keeps no records. */
const NO_RECORDS = { transcript_path: null }

async function joined(rules: Record<string, string> = { commit: COMMIT }) {
  const home = temporaryBase()
  const world = new World('release', { base: BesideServer.baseIn(home) })
  world.attempt({ id: 'a', session: S })
  const server = await BesideServer.start({ home, rules })
  await server.prompt(S, NO_RECORDS)
  const bash = (command: string, call: string, more: object = {}) => server.bash(S, command, call, { ...NO_RECORDS, ...more })
  const ends = (...calls: string[]) => server.tell(S, 'PostToolBatch', { ...NO_RECORDS, ...batchOf(...calls) })
  const item = (call: string, ordinal: number, status: string, output: string, thread = `T-${S}`) =>
    world.item({ thread, ordinal, second: ordinal, call, status, fields: { input: 'git commit', output } })
  const goesOn = (ordinal: number) =>
    world.item({ thread: `T-${S}`, ordinal, second: ordinal, type: 'assistant_message', status: 'completed' })
  return { world, server, bash, ends, item, goesOn }
}

const liftsOf = (server: BesideServer) => server.log(S).flatMap(({ gates }) => gates.map(({ lift }) => lift))

describe("a session whose records can't be read", () => {
  test('the whole text stands in the reason; the item and a later one lift the gate as shown', async () => {
    const { server, bash, ends, item, goesOn } = await joined()
    const denied = await bash('git commit', 'toolu_1')
    expect(denied.decision).toBe('deny')
    expect(denied.text).toBe('')
    expect(denied.reason).toContain('Imperative subject.')
    item('toolu_1', 2, 'failed', `Error: ${denied.reason}`)
    await ends('toolu_1')
    goesOn(3)
    expect((await bash('git commit', 'toolu_2')).status).toBe(204)
    expect(liftsOf(server)).toEqual(['shown'])
  })

  test('G19: neither the item nor a text behind it frees another call of the same reply', async () => {
    const { bash, item, goesOn } = await joined()
    const denied = await bash('git commit', 'toolu_1')
    item('toolu_1', 2, 'failed', `Error: ${denied.reason}`)
    goesOn(3)
    expect((await bash('git commit', 'toolu_2')).decision).toBe('deny')
    expect((await bash('git commit', 'toolu_3')).decision).toBe('deny')
  })

  test('G6: an item that still runs judges nothing; once it is done it does', async () => {
    const { server, bash, ends, item, goesOn } = await joined()
    const denied = await bash('git commit', 'toolu_1')
    item('toolu_1', 2, 'running', '')
    await ends('toolu_1')
    expect((await bash('git commit', 'toolu_2')).decision).toBe('deny')
    await ends('toolu_2')
    item('toolu_1', 2, 'failed', `Error: ${denied.reason}`)
    goesOn(3)
    expect((await bash('git commit', 'toolu_3')).status).toBe(204)
    expect(liftsOf(server)).toEqual(['shown'])
  })

  test("G3: the rule in the call's own input, and another hook's reason in its result, is no proof", async () => {
    const { world, server, bash, ends, goesOn } = await joined()
    const denied = await bash('git commit', 'toolu_1')
    const fields = { input: `git commit -m '${denied.reason}'`, output: 'Error: blocked by another hook' }
    world.item({ thread: `T-${S}`, ordinal: 2, second: 2, call: 'toolu_1', status: 'failed', fields })
    await ends('toolu_1')
    goesOn(3)
    expect((await bash('git commit', 'toolu_2')).decision).toBe('deny')
    const first = server.log(S).flatMap(({ candidates }) => candidates)[0]
    expect(first).toMatchObject({ outcome: 'hidden', why: 'replaced' })
  })

  test("R6: another call's item, in this thread and in another one, proves nothing", async () => {
    const { server, bash, ends, item, goesOn } = await joined()
    const denied = await bash('git commit', 'toolu_1')
    item('prior-toolu_1', 2, 'failed', `Error: ${denied.reason}`)
    item('toolu_1', 2, 'failed', `Error: ${denied.reason}`, 'T-other')
    await ends('toolu_1')
    goesOn(3)
    // the host does not know the call although the model went on: nothing can prove it
    expect((await bash('git commit', 'toolu_2')).status).toBe(204)
    expect(liftsOf(server)).toEqual(['assumed'])
  })

  test('a subagent of Claude Code: its items stand in a thread of its own', async () => {
    const { world, server, bash } = await joined()
    const agent = { agent_id: 'agent-1', agent_type: 'general-purpose' }
    world.subagent({ id: 'sub', thread: `T-${S}`, run: `R-${S}`, providerThread: null, child: 'T-CHILD' })
    await server.tell(S, 'SubagentStart', { ...NO_RECORDS, ...agent })
    const denied = await bash('git commit', 'toolu_1', agent)
    expect(denied.reason).toContain('Imperative subject.')
    const of = { thread: 'T-CHILD', second: 2, call: 'toolu_1', status: 'failed', fields: { output: `Error: ${denied.reason}` } }
    world.item({ ...of, ordinal: 2 })
    world.item({ thread: 'T-CHILD', ordinal: 3, second: 3, type: 'reasoning', status: 'completed' })
    await server.tell(S, 'PostToolBatch', { ...NO_RECORDS, ...agent, ...batchOf('toolu_1') })
    expect((await bash('git commit', 'toolu_2', agent)).status).toBe(204)
    expect(liftsOf(server)).toEqual(['shown'])
  })

  test('several rules, each with a call of its own', async () => {
    const { bash, ends, item, goesOn } = await joined({ commit: COMMIT, push: PUSH })
    const [one, two] = [await bash('git commit', 'toolu_1'), await bash('git push', 'toolu_2')]
    item('toolu_1', 2, 'failed', `Error: ${one.reason}`)
    item('toolu_2', 3, 'failed', 'Error: blocked by another hook')
    await ends('toolu_1', 'toolu_2')
    goesOn(4)
    expect((await bash('git commit', 'toolu_3')).status).toBe(204)
    expect((await bash('git push', 'toolu_4')).decision).toBe('deny')
    expect(two.reason).not.toContain('Imperative')
  })
})

test("with records of its own a session's text stands beside the call, and the host's items say nothing about it", async () => {
  const { server, item, goesOn } = await joined()
  const denied = await server.bash(S, 'git commit', 'toolu_1')
  expect(denied.text).toContain('Imperative subject.')
  expect(denied.reason).not.toContain('Imperative subject.')
  item('toolu_1', 2, 'failed', `Error: ${denied.reason}`)
  await server.batchEnd(S, 'toolu_1')
  goesOn(3)
  appendFileSync(server.records(S), `${JSON.stringify({ type: 'user', uuid: 'u1', message: { role: 'user', content: 'x' } })}\n`)
  expect((await server.bash(S, 'git commit', 'toolu_2')).decision).toBe('deny')
  expect(liftsOf(server)).toEqual([])
})

test('S2: a body that grows beyond the limit while it is read is refused, and the next moment is joined', async () => {
  const { server } = await joined()
  const chunk = new TextEncoder().encode('x'.repeat(1024 * 1024))
  let left = 10
  const body = new ReadableStream({
    pull(controller) {
      if (left === 0) controller.close()
      else controller.enqueue(chunk)
      left -= 1
    },
  })
  const response = await server.post(body)
  expect(response.status).toBe(413)
  await response.body?.cancel()
  await server.prompt(S)
  expect(server.joinings(S)).toEqual(['joined', 'joined'])
})

test('T15: a token that runs out says so a week before, and when it has run out', async () => {
  const day = 24 * 60 * 60 * 1_000
  let days = 0
  const server = await BesideServer.start({ now: () => days * day })
  expect(server.problems()).not.toContain('token_runs_out')
  days = 24
  expect((await server.prompt(S)).status).toBe(204)
  expect(server.problems()).toContain('token_runs_out')
  days = 31
  expect((await server.prompt(S)).status).toBe(401)
  expect(server.problems()).toContain('token_ran_out')
})
