/** The plugin in its program: what it posts, puts in, throws, and that it harms nothing. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Part } from './api.ts'
import { MESSAGE, after, at, before, begin, bus, end, hooksPosted, prompt, start, tool, typed, user } from './plugin.fixture.ts'

beforeEach(begin)
afterEach(end)

describe('a person`s message', () => {
  test('gets the pack and the rule behind what they typed, each with an id of its own', async () => {
    at.answers = { 'contextmd.session-start': { delivery: 'd1', text: 'PACK' }, 'chat.message': { delivery: 'd2', text: 'RULE' } }
    const parts = await prompt(await start())
    expect(parts.map(({ text }) => text)).toEqual(['do it', 'PACK', 'RULE'])
    const ids = parts.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(3)
    expect(parts[1]).toMatchObject({
      sessionID: 's',
      messageID: MESSAGE.id,
      type: 'text',
      synthetic: true,
      metadata: { contextmd: { delivery: 'd1' } },
    })
    for (const id of ids) expect(id).toHaveLength(30)
  })

  test('the start is told once: as new, resumed or forked', async () => {
    const hooks = await start()
    await bus(hooks, 'session.created', { info: { id: 's' } })
    await prompt(hooks)
    await prompt(hooks)
    expect(hooksPosted()).toEqual(['contextmd.session-start', 'chat.message', 'chat.message'])
    expect(at.posted[0]?.body.input).toMatchObject({ source: 'startup' })
    for (const [isNew, source] of [
      [true, 'fork'],
      [false, 'resume'],
    ] as const) {
      at.posted = []
      at.stored = { s: [user(typed())] }
      const again = await start()
      if (isNew) await bus(again, 'session.created', { info: { id: 's' } })
      await prompt(again)
      expect(at.posted[0]?.body.input).toMatchObject({ source })
    }
  })

  test('only what the person typed is told, and files by their path', async () => {
    const parts: Part[] = [
      ...typed(),
      { id: 'prt_2', type: 'text', text: 'added by the program', synthetic: true },
      { id: 'prt_3', type: 'file', url: 'file:///home/dev/a.txt' },
      { id: 'prt_4', type: 'file', url: 'data:image/png;base64,AAAA' },
    ]
    await prompt(await start(), parts)
    expect(hooksPosted()).toEqual(['contextmd.session-start', 'contextmd.file', 'chat.message'])
    expect(JSON.stringify(at.posted.map(({ body }) => body))).not.toMatch(/added by the program|AAAA/)
  })

  test('a message of its own is left alone', async () => {
    await prompt(await start(), [{ id: 'prt_1', type: 'text', text: 'x', metadata: { contextmd: {} } }])
    expect(at.posted).toEqual([])
  })
})

describe('calls', () => {
  test('a deny is thrown whole, and the person is told', async () => {
    at.answers = { 'tool.execute.before': { delivery: 'd1', deny: 'STUB\nRULE', notice: 'held' } }
    const hooks = await start()
    await expect(before(hooks)).rejects.toThrow(/^STUB\nRULE$/)
    expect(at.sent).toEqual([{ message: 'held', variant: 'info' }])
    at.answers = {}
    await expect(before(hooks, 'c2')).resolves.toBeUndefined()
  })

  test('text goes behind a result, and into the list of an MCP tool', async () => {
    at.answers = { 'tool.execute.after': { delivery: 'd1', text: 'RULE' } }
    const hooks = await start()
    const built = { output: 'a.txt', metadata: { exit: 0 } }
    await after(hooks, built)
    expect(built.output).toBe('a.txt\n\nRULE')
    const mcp = { content: [{ type: 'text', text: '5' }] }
    await after(hooks, mcp, 'c2')
    expect(mcp.content).toEqual([
      { type: 'text', text: '5' },
      { type: 'text', text: 'RULE' },
    ])
  })

  test('an MCP tool is told with its server, a plugin`s tool of such a name is not', async () => {
    const hooks = await start()
    await hooks.config({ mcp: { lab: {}, 'my lab': {} } })
    await hooks['tool.definition']({ toolID: 'lab_echo' })
    for (const name of ['lab_add', 'my_lab_add', 'lab_echo', 'bash'])
      await hooks['tool.execute.before']({ tool: name, sessionID: 's', callID: name }, { args: {} })
    expect(at.posted.map(({ body }) => body['mcpServer'])).toEqual(['lab', 'my lab', null, null])
  })

  test('M7: a failed call is told, and whether a plugin denied it', async () => {
    const hooks = await start()
    await before(hooks, 'c1')
    const failed = (callID: string) =>
      bus(hooks, 'message.part.updated', { part: { ...tool({ status: 'error', error: 'x' }, callID), messageID: 'm' } })
    await failed('c1')
    await failed('c2')
    await prompt(hooks)
    expect(at.posted.filter(({ body }) => body.hook === 'event').map(({ body }) => body['wasDenied'])).toEqual([false, true])
  })

  test('M9: a call that writes more than the server takes is told all the same', async () => {
    const args = { filePath: '/home/dev/big.txt', content: 'x'.repeat(9_000_000) }
    await (await start())['tool.execute.before']({ tool: 'write', sessionID: 's', callID: 'c1' }, { args })
    expect(JSON.stringify(at.posted[0]?.body).length).toBeLessThan(1_100_000)
    expect(at.posted[0]?.body['output']).toMatchObject({ args: { filePath: '/home/dev/big.txt' } })
    expect(args.content).toHaveLength(9_000_000)
  })

  test('T9: a subagent is told with the session that it works for', async () => {
    at.known = { s: { parentID: 'p', agent: 'general', version: '1.18.33' }, p: { parentID: 'root' }, root: {} }
    await before(await start())
    expect(at.posted[0]?.body).toMatchObject({ parent: 'root', agent: 'general', version: '1.18.33', directory: '/home/dev/project' })
  })
})

describe('harmless', () => {
  test('S6: a server that is silent, or down, lets everything pass', async () => {
    at.answers = { 'tool.execute.before': null, 'chat.message': null, 'contextmd.session-start': null, 'tool.execute.after': null }
    for (const hooks of [await start({ seconds: 0.1 }), await start({ port: 1 })]) {
      await expect(before(hooks)).resolves.toBeUndefined()
      expect(await prompt(hooks)).toHaveLength(1)
      const output = { output: 'a' }
      await after(hooks, output)
      expect(output.output).toBe('a')
    }
  })

  test('S8: what was missed is told with the next moment that gets through, once', async () => {
    at.answers = { 'tool.execute.before': 500 }
    const hooks = await start()
    await before(hooks)
    await before(hooks)
    at.answers = {}
    await before(hooks)
    await before(hooks)
    expect(at.posted.map(({ headers }) => headers['contextmd-missed'])).toEqual([undefined, 'bad-answer=1', 'bad-answer=2', undefined])
  })

  test('S8: a server that refuses an event has taken what was told beside it', async () => {
    at.answers = { 'tool.execute.before': 500 }
    const hooks = await start()
    await before(hooks)
    at.answers = { 'tool.execute.before': 400 }
    await before(hooks)
    await before(hooks)
    expect(at.posted.map(({ headers }) => headers['contextmd-missed'])).toEqual([undefined, 'bad-answer=1', 'bad-answer=1'])
  })

  test('an answer that is none of ours, a token that is gone, input of another version: nothing is thrown', async () => {
    at.answers = { 'tool.execute.before': { deny: 7, delivery: {} }, 'tool.execute.after': { text: ['x'], delivery: 'd' } }
    const hooks = await start()
    await expect(before(hooks)).resolves.toBeUndefined()
    const output = { output: 'a' }
    await after(hooks, output)
    expect(output.output).toBe('a')
    rmSync(join(at.folder, 'hooks', 'opencode.header'))
    await expect(before(hooks)).resolves.toBeUndefined()
    const odd = hooks as unknown as Record<string, (...args: unknown[]) => Promise<unknown>> // as another version might call them
    for (const name of Object.keys(hooks)) await expect(odd[name]?.(undefined, undefined), name).resolves.toBeUndefined()
  })

  test('the token goes to the server, in a header; nothing of it is in an event', async () => {
    await before(await start())
    expect(at.posted[0]?.headers.authorization).toBe('Bearer secret')
    expect(JSON.stringify(at.posted[0]?.body)).not.toContain('secret')
  })

  test('the environment is as it was after a call', async () => {
    const environment = { ...process.env }
    process.env['no_proxy'] = 'example.com'
    try {
      await before(await start())
      expect(process.env['no_proxy']).toBe('example.com')
      expect(process.env['NO_PROXY']).toBe(environment['NO_PROXY'])
    } finally {
      if (environment['no_proxy'] === undefined) delete process.env['no_proxy']
      else process.env['no_proxy'] = environment['no_proxy']
    }
    expect(at.posted).toHaveLength(1)
  })

  test('S17: loaded twice in one folder, the last one runs; other folders are not concerned', async () => {
    const [first, second, other] = [await start(), await start(), await start({ directory: '/elsewhere' })]
    await before(first)
    expect(at.posted).toEqual([])
    await before(second)
    await before(other)
    expect(at.posted).toHaveLength(2)
  })
})

describe('permissions', () => {
  const external = async (permission: unknown) => {
    const config = { permission }
    await (await start()).config(config)
    return config.permission
  }
  const ours = { '/rules/*': 'allow', '/rules/**': 'allow' }

  test('what a held call names may be read, where the program would ask', async () => {
    expect(await external(undefined)).toEqual({ external_directory: ours })
    expect(await external('ask')).toEqual({ '*': 'ask', external_directory: { '*': 'ask', ...ours } })
    expect(await external({ bash: 'ask', external_directory: { '/x/*': 'deny' } })).toEqual({
      bash: 'ask',
      external_directory: { '/x/*': 'deny', ...ours },
    })
  })

  test('what a person forbids stays forbidden', async () => {
    for (const permission of ['deny', 'allow', { external_directory: 'deny' }, { external_directory: { '*': 'deny' } }, { '*': 'deny' }])
      expect(await external(permission)).toEqual(permission)
  })
})
