/** The plugin against a real HTTP server; only the program around it is played. For tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hooks, Message, Part, PluginInput, SessionInfo } from './api.ts'
import { PROOF_PATH, proofOf } from '../../../proof.ts'
import { contextmd } from './plugin.ts'

interface Posted {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: { readonly [key: string]: unknown; readonly input?: unknown; readonly hook?: string }
}

const KEY = '0123456789abcdef'.repeat(4)
interface World {
  folder: string
  posted: Posted[]
  /** Answers by hook; none is 204, `null` is silence, a number another status. */
  answers: Record<string, object | number | null | undefined>
  /** What the plugin had the program do. */
  sent: object[]
  known: Record<string, SessionInfo>
  stored: Record<string, readonly Message[]>
}

function emptyWorld(): World {
  return { folder: '', posted: [], answers: {}, sent: [], known: {}, stored: {} }
}

/** Of the test that runs. */
export const at = emptyWorld()
let server: Server

/** A server and a folder for each test of the file. */
export async function begin(): Promise<void> {
  Object.assign(at, emptyWorld())
  at.folder = mkdtempSync(join(tmpdir(), 'contextmd-plugin-'))
  mkdirSync(join(at.folder, 'hooks'))
  writeFileSync(join(at.folder, 'hooks', 'opencode.header'), 'authorization: Bearer secret\n')
  writeFileSync(join(at.folder, 'server.key'), `${KEY}\n`)
  server = createServer((request, response) => {
    if (request.url?.startsWith(PROOF_PATH)) {
      return response.end(proofOf(request.url.split('nonce=')[1] ?? '', (server.address() as AddressInfo).port, KEY))
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Posted['body']
      at.posted.push({ path: request.url ?? '', headers: request.headers, body })
      const answer = at.answers[body.hook ?? '']
      if (answer === null) return
      if (answer === undefined || typeof answer === 'number') response.writeHead(answer ?? 204).end()
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
}

export async function end(): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(at.folder, { recursive: true, force: true })
}

/** Long, so that a busy machine never makes a hook time out by accident. */
const SECONDS = 20

export async function start(
  options: { readonly port?: number; readonly directory?: string; readonly seconds?: number } = {},
): Promise<Hooks> {
  const { port } = server.address() as AddressInfo
  const client: PluginInput['client'] = {
    session: {
      get: async ({ path }) => (at.known[path.id] === undefined ? {} : { data: at.known[path.id]! }),
      messages: async ({ path }) => ({ data: at.stored[path.id] ?? [] }),
      prompt: async (of) => at.sent.push(of),
    },
    tui: { showToast: async ({ body }) => at.sent.push(body) },
  }
  const plugin = contextmd({
    port: options.port ?? port,
    headerFile: join(at.folder, 'hooks', 'opencode.header'),
    seconds: options.seconds ?? SECONDS,
    readable: ['/rules'],
  })
  return plugin({ client, directory: options.directory ?? '/home/dev/project' })
}

export const hooksPosted = () => at.posted.map(({ path, body }) => body.hook ?? path.replace('/contextmd/v1/', ''))
export const typed = (): Part[] => [{ id: 'prt_22ce3be1c001dnecdDFzPMgtUM', type: 'text', text: 'do it' }]
export const MESSAGE = { id: 'msg_22ce3be120019dULvUaHNua8QZ' }
export const prompt = async (hooks: Hooks, parts = typed()) => {
  await hooks['chat.message']({ sessionID: 's' }, { message: MESSAGE, parts })
  return parts
}
export const before = (hooks: Hooks, callID = 'c1') =>
  hooks['tool.execute.before']({ tool: 'bash', sessionID: 's', callID }, { args: { command: 'ls' } })
export const after = (hooks: Hooks, output: Parameters<Hooks['tool.execute.after']>[1], callID = 'c1') =>
  hooks['tool.execute.after']({ tool: 'bash', sessionID: 's', callID, args: { command: 'ls' } }, output)
export const outgoing = (hooks: Hooks, ...messages: Message[]) => hooks['experimental.chat.messages.transform']({}, { messages })
export const bus = (hooks: Hooks, type: string, properties: object) =>
  hooks.event({ event: { type, properties: { sessionID: 's', ...properties } } })
export const answering = (hooks: Hooks, message: string) =>
  bus(hooks, 'message.part.updated', { part: { id: 'p', messageID: message, type: 'step-start' } })
export const user = (parts: readonly Part[], id = MESSAGE.id): Message => ({ info: { id, role: 'user', sessionID: 's' }, parts })
export const assistant = (id: string, ...parts: Part[]): Message => ({ info: { id, role: 'assistant', sessionID: 's' }, parts })
export const tool = (state: Part['state'], callID = 'c1'): Part => ({
  type: 'tool',
  tool: 'bash',
  callID,
  ...(state === undefined ? {} : { state }),
})
