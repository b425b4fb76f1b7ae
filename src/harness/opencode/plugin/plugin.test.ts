/** The plugin against a real HTTP server; only the program around it is played. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hooks, Message, Part, PluginInput, SessionInfo } from './api.ts'
import { PROOF_PATH, proofOf } from '../../../proof.ts'
import { contextmd } from './plugin.ts'

interface Posted {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: { readonly [key: string]: unknown; readonly input?: unknown; readonly hook?: string }
}

const KEY = '0123456789abcdef'
let folder = ''
let server: Server
let posted: Posted[] = []
/** Answers by hook; none is 204, `null` is silence, a number another status. */
let answers: Record<string, object | number | null | undefined> = {}
let sent: object[] = []
let known: Record<string, SessionInfo> = {}
let stored: Record<string, readonly Message[]> = {}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'contextmd-plugin-'))
  mkdirSync(join(folder, 'hooks'))
  writeFileSync(join(folder, 'hooks', 'opencode.header'), 'authorization: Bearer secret\n')
  writeFileSync(join(folder, 'server.key'), `${KEY}\n`)
  ;[posted, answers, sent, known, stored] = [[], {}, [], {}, {}]
  server = createServer((request, response) => {
    if (request.url?.startsWith(PROOF_PATH)) {
      return response.end(proofOf(request.url.split('nonce=')[1] ?? '', (server.address() as AddressInfo).port, KEY))
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Posted['body']
      posted.push({ path: request.url ?? '', headers: request.headers, body })
      const answer = answers[body.hook ?? '']
      if (answer === null) return
      if (answer === undefined || typeof answer === 'number') response.writeHead(answer ?? 204).end()
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true, force: true })
})

/** Long, so that a busy machine never makes a hook time out by accident. */
const SECONDS = 20

async function start(options: { readonly port?: number; readonly directory?: string; readonly seconds?: number } = {}): Promise<Hooks> {
  const { port } = server.address() as AddressInfo
  const client: PluginInput['client'] = {
    session: {
      get: async ({ path }) => (known[path.id] === undefined ? {} : { data: known[path.id]! }),
      messages: async ({ path }) => ({ data: stored[path.id] ?? [] }),
      prompt: async (of) => sent.push(of),
    },
    tui: { showToast: async ({ body }) => sent.push(body) },
  }
  const plugin = contextmd({
    port: options.port ?? port,
    headerFile: join(folder, 'hooks', 'opencode.header'),
    seconds: options.seconds ?? SECONDS,
    readable: ['/rules'],
  })
  return plugin({ client, directory: options.directory ?? '/home/dev/project' })
}

const hooksPosted = () => posted.map(({ path, body }) => body.hook ?? path.replace('/contextmd/v1/', ''))
const typed = (): Part[] => [{ id: 'prt_22ce3be1c001dnecdDFzPMgtUM', type: 'text', text: 'do it' }]
const MESSAGE = { id: 'msg_22ce3be120019dULvUaHNua8QZ' }
const prompt = async (hooks: Hooks, parts = typed()) => {
  await hooks['chat.message']({ sessionID: 's' }, { message: MESSAGE, parts })
  return parts
}
const before = (hooks: Hooks, callID = 'c1') =>
  hooks['tool.execute.before']({ tool: 'bash', sessionID: 's', callID }, { args: { command: 'ls' } })
const after = (hooks: Hooks, output: Parameters<Hooks['tool.execute.after']>[1], callID = 'c1') =>
  hooks['tool.execute.after']({ tool: 'bash', sessionID: 's', callID, args: { command: 'ls' } }, output)
const outgoing = (hooks: Hooks, ...messages: Message[]) => hooks['experimental.chat.messages.transform']({}, { messages })
const bus = (hooks: Hooks, type: string, properties: object) =>
  hooks.event({ event: { type, properties: { sessionID: 's', ...properties } } })
const answering = (hooks: Hooks, message: string) =>
  bus(hooks, 'message.part.updated', { part: { id: 'p', messageID: message, type: 'step-start' } })
const user = (parts: readonly Part[], id = MESSAGE.id): Message => ({ info: { id, role: 'user', sessionID: 's' }, parts })
const assistant = (id: string, ...parts: Part[]): Message => ({ info: { id, role: 'assistant', sessionID: 's' }, parts })
const tool = (state: Part['state'], callID = 'c1'): Part => ({
  type: 'tool',
  tool: 'bash',
  callID,
  ...(state === undefined ? {} : { state }),
})

describe('a person`s message', () => {
  test('gets the pack and the rule behind what they typed, each with an id of its own', async () => {
    answers = { 'contextmd.session-start': { delivery: 'd1', text: 'PACK' }, 'chat.message': { delivery: 'd2', text: 'RULE' } }
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
    expect(posted[0]?.body.input).toMatchObject({ source: 'startup' })
    for (const [isNew, source] of [
      [true, 'fork'],
      [false, 'resume'],
    ] as const) {
      posted = []
      stored = { s: [user(typed())] }
      const again = await start()
      if (isNew) await bus(again, 'session.created', { info: { id: 's' } })
      await prompt(again)
      expect(posted[0]?.body.input).toMatchObject({ source })
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
    expect(JSON.stringify(posted.map(({ body }) => body))).not.toMatch(/added by the program|AAAA/)
  })

  test('a message of its own is left alone', async () => {
    await prompt(await start(), [{ id: 'prt_1', type: 'text', text: 'x', metadata: { contextmd: {} } }])
    expect(posted).toEqual([])
  })
})

describe('calls', () => {
  test('a deny is thrown whole, and the person is told', async () => {
    answers = { 'tool.execute.before': { delivery: 'd1', deny: 'STUB\nRULE', notice: 'held' } }
    const hooks = await start()
    await expect(before(hooks)).rejects.toThrow(/^STUB\nRULE$/)
    expect(sent).toEqual([{ message: 'held', variant: 'info' }])
    answers = {}
    await expect(before(hooks, 'c2')).resolves.toBeUndefined()
  })

  test('text goes behind a result, and into the list of an MCP tool', async () => {
    answers = { 'tool.execute.after': { delivery: 'd1', text: 'RULE' } }
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
    expect(posted.map(({ body }) => body['mcpServer'])).toEqual(['lab', 'my lab', null, null])
  })

  test('M7: a failed call is told, and whether a plugin denied it', async () => {
    const hooks = await start()
    await before(hooks, 'c1')
    const failed = (callID: string) =>
      bus(hooks, 'message.part.updated', { part: { ...tool({ status: 'error', error: 'x' }, callID), messageID: 'm' } })
    await failed('c1')
    await failed('c2')
    await prompt(hooks)
    expect(posted.filter(({ body }) => body.hook === 'event').map(({ body }) => body['wasDenied'])).toEqual([false, true])
  })

  test('M9: a call that writes more than the server takes is told all the same', async () => {
    const args = { filePath: '/home/dev/big.txt', content: 'x'.repeat(9_000_000) }
    await (await start())['tool.execute.before']({ tool: 'write', sessionID: 's', callID: 'c1' }, { args })
    expect(JSON.stringify(posted[0]?.body).length).toBeLessThan(1_100_000)
    expect(posted[0]?.body['output']).toMatchObject({ args: { filePath: '/home/dev/big.txt' } })
    expect(args.content).toHaveLength(9_000_000)
  })

  test('T9: a subagent is told with the session that it works for', async () => {
    known = { s: { parentID: 'p', agent: 'general', version: '1.18.33' }, p: { parentID: 'root' }, root: {} }
    await before(await start())
    expect(posted[0]?.body).toMatchObject({ parent: 'root', agent: 'general', version: '1.18.33', directory: '/home/dev/project' })
  })
})

describe('verdicts', () => {
  const evidence = () => posted.filter(({ path }) => path.endsWith('/evidence')).map(({ body }) => body)

  test('shown once the text stands in what goes out and the model has answered, before the next call is told', async () => {
    answers = { 'contextmd.session-start': { delivery: 'd1', text: 'PACK' } }
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
    const deny = 'Not a failure: rule "R" must be known first. Its text is beside this. Follow it and repeat this call.\nRULE'
    for (const [error, verdict] of [
      [deny, 'shown'],
      ['somebody else`s', 'hidden'],
      [deny.slice(0, 90), 'cut'],
    ] as const) {
      posted = []
      answers = { 'tool.execute.before': { delivery: verdict, deny } }
      const hooks = await start()
      await expect(before(hooks)).rejects.toThrow()
      await outgoing(hooks, user(typed()), assistant('a1', tool({ status: 'error', error })))
      await answering(hooks, 'a2')
      await prompt(hooks)
      expect(evidence()).toEqual([{ delivery: verdict, verdict }])
    }
  })

  test('G19: an answer of the reply that made the call, or a summary, proves nothing', async () => {
    answers = { 'tool.execute.before': { delivery: 'd1', deny: 'DENY' } }
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
    expect(posted.filter(({ body }) => body.hook === 'contextmd.batch-end').map(({ body }) => body.input)).toEqual([
      { sessionID: 's', messageID: 'a1', calls: ['c1', 'c2'] },
    ])
  })
})

describe('compactions', () => {
  test('T10: an automatic one is told once, and its pack sent before the program goes on', async () => {
    answers = { 'experimental.compaction.autocontinue': { delivery: 'd1', text: 'PACK' } }
    const hooks = await start()
    const model = { providerID: 'p', modelID: 'm' }
    await hooks['experimental.compaction.autocontinue']({ sessionID: 's', agent: 'build', message: { model } })
    const part = { type: 'text', text: 'PACK', synthetic: true, metadata: { contextmd: { delivery: 'd1' } } }
    expect(sent).toEqual([{ path: { id: 's' }, body: { noReply: true, agent: 'build', model, parts: [part] } }])
    await bus(hooks, 'session.compacted', {})
    await bus(hooks, 'session.compacted', {})
    await prompt(hooks)
    expect(hooksPosted().filter((hook) => hook === 'event')).toHaveLength(1)
  })
})

describe('harmless', () => {
  test('S6: a server that is silent, or down, lets everything pass', async () => {
    answers = { 'tool.execute.before': null, 'chat.message': null, 'contextmd.session-start': null, 'tool.execute.after': null }
    for (const hooks of [await start({ seconds: 0.1 }), await start({ port: 1 })]) {
      await expect(before(hooks)).resolves.toBeUndefined()
      expect(await prompt(hooks)).toHaveLength(1)
      const output = { output: 'a' }
      await after(hooks, output)
      expect(output.output).toBe('a')
    }
  })

  test('S8: what was missed is told with the next moment that gets through, once', async () => {
    answers = { 'tool.execute.before': 500 }
    const hooks = await start()
    await before(hooks)
    await before(hooks)
    answers = {}
    await before(hooks)
    await before(hooks)
    expect(posted.map(({ headers }) => headers['contextmd-missed'])).toEqual([undefined, 'bad-answer=1', 'bad-answer=2', undefined])
  })

  test('an answer that is none of ours, a token that is gone, input of another version: nothing is thrown', async () => {
    answers = { 'tool.execute.before': { deny: 7, delivery: {} }, 'tool.execute.after': { text: ['x'], delivery: 'd' } }
    const hooks = await start()
    await expect(before(hooks)).resolves.toBeUndefined()
    const output = { output: 'a' }
    await after(hooks, output)
    expect(output.output).toBe('a')
    rmSync(join(folder, 'hooks', 'opencode.header'))
    await expect(before(hooks)).resolves.toBeUndefined()
    const odd = hooks as unknown as Record<string, (...args: unknown[]) => Promise<unknown>> // as another version might call them
    for (const name of Object.keys(hooks)) await expect(odd[name]?.(undefined, undefined), name).resolves.toBeUndefined()
  })

  test('the token goes to the server, in a header; nothing of it is in an event', async () => {
    await before(await start())
    expect(posted[0]?.headers.authorization).toBe('Bearer secret')
    expect(JSON.stringify(posted[0]?.body)).not.toContain('secret')
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
    expect(posted).toHaveLength(1)
  })

  test('S17: loaded twice in one folder, the last one runs; other folders are not concerned', async () => {
    const [first, second, other] = [await start(), await start(), await start({ directory: '/elsewhere' })]
    await before(first)
    expect(posted).toEqual([])
    await before(second)
    await before(other)
    expect(posted).toHaveLength(2)
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
