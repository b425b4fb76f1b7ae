import { describe, expect, test } from 'vitest'
import { hookKeyOf } from '../../harness/hook-key.ts'
import { NOTHING, served, tellEngine, type ToldEngine } from '../engine.fixture.ts'
import { withServer, type TestServer } from '../with-server.fixture.ts'
import { answerOf, rpc, toolCall } from './mcp.fixture.ts'

const PATH = '/contextmd/hook-mcp?harness=codex'
const CODEX = { 'user-agent': 'codex-mcp-client/0.171.0' }
const EVENT = { hook_event_name: 'PreToolUse', session_id: 's1', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'c1' }

interface Call {
  readonly input?: object
  readonly meta?: object
  readonly headers?: Record<string, string>
}

/** A call as the harness's own client makes it for a hook. */
async function hook(server: TestServer, { input = {}, meta = { threadId: 's1' }, headers = {} }: Call = {}) {
  const key = hookKeyOf(server.token('poster'))
  const body = toolCall('moment', { ...EVENT, key, ...input }, meta)
  return answerOf(await server.post(PATH, body, { ...server.as('poster'), ...CODEX, ...headers }))
}

const denies = (): ToldEngine => tellEngine(() => served('d1', { hookSpecificOutput: { hookEventName: 'PreToolUse' } }))

describe('a hook', () => {
  test("is answered with the harness's own answer as text, and the reply counts as handed over", async () => {
    const server = await withServer(denies())
    const { text, isError } = await hook(server)
    expect([JSON.parse(text), isError]).toEqual([{ hookSpecificOutput: { hookEventName: 'PreToolUse' } }, false])
    expect(server.told.asked).toMatchObject([
      { harness: 'codex', event: { ...EVENT, thread_id: 's1', version: '0.171.0' }, delivery: null, off: false },
    ])
    // the key is nobody's business behind this door
    expect(JSON.stringify(server.told.asked)).not.toContain(hookKeyOf(server.token('poster')))
    await server.told.settledOnce()
    expect(server.told.settled).toEqual([{ delivery: 'd1', outcome: 'handed' }])
  })

  test('with nothing to serve gets an empty text', async () => {
    const server = await withServer(tellEngine(() => NOTHING))
    expect(await hook(server)).toEqual({ text: '', isError: false })
    expect(server.told.asked).toHaveLength(1)
  })

  test('whose event is none gets an empty text', async () => {
    const server = await withServer(tellEngine(() => ({ ok: false, why: 'no session id' })))
    expect(await hook(server)).toEqual({ text: '', isError: false })
  })

  test('says CONTEXTMD_OFF by its header', async () => {
    const server = await withServer()
    await hook(server, { headers: { 'contextmd-off': '1' } })
    expect(server.told.asked[0]?.off).toBe(true)
  })

  test('is answered with nothing when the engine is late, and what it reserved goes back', async () => {
    let answer: () => void = () => {}
    const late = new Promise<void>((resolve) => (answer = resolve))
    const server = await withServer(
      tellEngine(async () => {
        await late
        return served('d1')
      }),
      { deadlineMs: 1 },
    )
    expect((await hook(server)).text).toBe('')
    answer()
    await server.told.settledOnce()
    expect(server.told.settled).toEqual([{ delivery: 'd1', outcome: 'dropped' }])
  })

  test('S4: a body that is too large is counted as not analysed', async () => {
    const server = await withServer()
    await server.post(PATH, 'x'.repeat(8 * 1024 * 1024 + 1))
    expect(server.told.notAnalysed).toEqual([{ harness: 'codex', why: 'larger than 8 MB' }])
  })
})

describe('a call that is not of a hook is answered with nothing, and the engine is not asked', () => {
  test.each<[string, Call]>([
    ['without the key', { input: { key: undefined } }],
    ['with a wrong key', { input: { key: 'A'.repeat(22) } }],
    ['with a key of another type', { input: { key: 7 } }],
    ['by the model, which has found the key: the client names the call', { meta: { threadId: 's1', callId: 'call_1' } }],
    ['by the model: the client names its item', { meta: { threadId: 's1', itemId: 'fc_1' } }],
    ['by the model: the client tells of the turn', { meta: { threadId: 's1', 'x-codex-turn-metadata': {} } }],
  ])('%s', async (_, call) => {
    const server = await withServer(denies())
    expect(await hook(server, call)).toEqual({ text: '', isError: false })
    expect(server.told.asked).toEqual([])
    expect(server.told.settled).toEqual([])
  })

  test('with the key of another token', async () => {
    const server = await withServer(denies())
    expect((await hook(server, { input: { key: hookKeyOf(server.token('person')) } })).text).toBe('')
    expect(server.told.asked).toEqual([])
  })
})

describe('subagents', () => {
  const ofAgent = { threadId: 'a1' }
  const lastEvent = (server: TestServer) => server.told.asked.at(-1)?.event

  test('are told by their thread, and their type is known from their start on', async () => {
    const server = await withServer()
    await hook(server, { meta: ofAgent })
    expect(lastEvent(server)).toMatchObject({ thread_id: 'a1' })
    expect(lastEvent(server)).not.toHaveProperty('agent_type')
    await hook(server, { input: { hook_event_name: 'SubagentStart', agent_id: 'a1', agent_type: 'explorer' }, meta: ofAgent })
    await hook(server, { meta: ofAgent })
    expect(lastEvent(server)).toMatchObject({ thread_id: 'a1', agent_type: 'explorer' })
    await hook(server)
    expect(lastEvent(server)).not.toHaveProperty('agent_type')
  })
})

test('the tool is hidden from the model where hooks were seen to work without its name, and listed elsewhere', async () => {
  const server = await withServer()
  const listed = async (agent: string): Promise<readonly string[]> => {
    const response = await server.post(PATH, rpc(1, 'tools/list'), { ...server.as('poster'), 'user-agent': agent })
    const { result } = (await response.json()) as { result: { tools: { name: string }[] } }
    return result.tools.map(({ name }) => name)
  }
  expect(await listed('codex-mcp-client/0.171.0')).toEqual([])
  expect(await listed('codex-mcp-client/0.180.0')).toEqual(['moment'])
  expect(await listed('else/1')).toEqual(['moment'])
})
