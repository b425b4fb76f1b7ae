/** What the plugin sees in the outgoing messages, and compactions. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  MESSAGE,
  answering,
  assistant,
  at,
  before,
  begin,
  bus,
  end,
  hooksPosted,
  outgoing,
  prompt,
  start,
  tool,
  typed,
  user,
} from './plugin.fixture.ts'

beforeEach(begin)
afterEach(end)

describe('verdicts', () => {
  const evidence = () => at.posted.filter(({ path }) => path.endsWith('/evidence')).map(({ body }) => body)

  test('shown once the text stands in what goes out and the model has answered, before the next call is told', async () => {
    at.answers = { 'contextmd.session-start': { delivery: 'd1', text: 'PACK' } }
    const hooks = await start()
    const parts = await prompt(hooks)
    await outgoing(hooks, user(parts))
    await bus(hooks, 'message.part.updated', { part: { ...parts[0], messageID: MESSAGE.id } })
    await answering(hooks, 'a1')
    await answering(hooks, 'a1')
    await before(hooks)
    expect(evidence()).toEqual([{ delivery: 'd1', verdict: 'shown' }])
    expect(hooksPosted().at(-1)).toBe('tool.execute.before')
  })

  test('a deny: shown, hidden or cut by what stands as the call`s result', async () => {
    const deny = 'Not a failure: rule "R" must be known first. Follow what stands below, then repeat this call.\nRULE'
    for (const [error, verdict] of [
      [deny, 'shown'],
      ['somebody else`s', 'hidden'],
      [deny.slice(0, 90), 'cut'],
    ] as const) {
      at.posted = []
      at.answers = { 'tool.execute.before': { delivery: verdict, deny } }
      const hooks = await start()
      await expect(before(hooks)).rejects.toThrow()
      await outgoing(hooks, user(typed()), assistant('a1', tool({ status: 'error', error })))
      await answering(hooks, 'a2')
      await prompt(hooks)
      expect(evidence()).toEqual([{ delivery: verdict, verdict }])
    }
  })

  test('G19: an answer of the reply that made the call, or a summary, proves nothing', async () => {
    at.answers = { 'tool.execute.before': { delivery: 'd1', deny: 'DENY' } }
    const hooks = await start()
    await expect(before(hooks)).rejects.toThrow()
    await outgoing(hooks, user(typed()), assistant('a1', tool({ status: 'error', error: 'DENY' })))
    await answering(hooks, 'a1')
    await bus(hooks, 'message.updated', { info: { id: 's1', role: 'assistant', summary: true } })
    await answering(hooks, 's1')
    await prompt(hooks)
    expect(evidence()).toEqual([])
  })

  test('the end of a wave is told when its results go out, once', async () => {
    const hooks = await start()
    const messages = [
      user(typed()),
      assistant('a1', tool({ status: 'completed', output: '' }, 'c1'), tool({ status: 'error', error: '' }, 'c2')),
    ]
    await outgoing(hooks, ...messages)
    await outgoing(hooks, ...messages)
    await prompt(hooks)
    expect(at.posted.filter(({ body }) => body.hook === 'contextmd.batch-end').map(({ body }) => body.input)).toEqual([
      { sessionID: 's', messageID: 'a1', calls: ['c1', 'c2'] },
    ])
  })
})

describe('compactions', () => {
  test('T10: an automatic one is told once, and its pack sent before the program goes on', async () => {
    at.answers = { 'experimental.compaction.autocontinue': { delivery: 'd1', text: 'PACK' } }
    const hooks = await start()
    const model = { providerID: 'p', modelID: 'm' }
    await hooks['experimental.compaction.autocontinue']({ sessionID: 's', agent: 'build', message: { model } })
    const part = { type: 'text', text: 'PACK', synthetic: true, metadata: { contextmd: { delivery: 'd1' } } }
    expect(at.sent).toEqual([{ path: { id: 's' }, body: { noReply: true, agent: 'build', model, parts: [part] } }])
    await bus(hooks, 'session.compacted', {})
    await bus(hooks, 'session.compacted', {})
    await prompt(hooks)
    expect(hooksPosted().filter((hook) => hook === 'event')).toHaveLength(1)
  })
})
