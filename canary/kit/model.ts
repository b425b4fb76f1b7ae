/**
 * A scripted model on the loopback address, in place of the vendor's.
 *
 * In: a script a row, a function of the request. Out: an address for the program's settings, and every request for assertions. Requests
 * for a title and for the summary of a compaction are answered by itself and never reach the script.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { say } from './reply.ts'
import type { ModelReply } from './reply.ts'
import type { Headers, ModelRequest } from './request.ts'

/** How one harness talks to its model. */
export interface Wire {
  /** The one call that the program makes; its query does not count. */
  readonly path: string
  /** The part of the path that belongs to the address in the program's settings. */
  readonly base: string
  /** Throws when the body is not one of the shape that the canary was written for. */
  readonly read: (body: string, number: number, headers: Headers) => ModelRequest
  /** The reply as an event stream. `id` is unique within the run: ids of messages and calls are made of it. */
  readonly stream: (reply: ModelReply, model: string, id: string) => string
  /** What it says when it is asked for the summary of a compaction. */
  readonly summary: string
}

/** Answers the n-th request (from 0, summaries not counted) of one agent. */
export type Script = (request: ModelRequest, turn: number) => ModelReply

export interface Model {
  readonly url: string
  /** Sets who answers from now on, and forgets the requests so far. */
  script(script: Script): void
  /** All requests since the script was set, oldest first; those for titles left out. */
  requests(): readonly ModelRequest[]
  /** What went wrong in the conversation with the program: calls that are not known, a script that threw. */
  problems(): readonly string[]
  close(): Promise<void>
}

/** Replies of the main agent in order. After the last one, and for every subagent, it says that it is done. */
export function inOrder(...replies: readonly (ModelReply | ((request: ModelRequest) => ModelReply))[]): Script {
  return (request, turn) => {
    const reply = request.agent === null ? replies[turn] : undefined
    if (reply === undefined) return say('Done.')
    return typeof reply === 'function' ? reply(request) : reply
  }
}

/** Replies of the main agent and, by themselves, of each of its subagents. */
export function withSubagent(main: Script, sub: Script): Script {
  return (request, turn) => (request.agent === null ? main(request, turn) : sub({ ...request, agent: null }, turn))
}

export async function startModel(wire: Wire): Promise<Model> {
  let script: Script = inOrder()
  let requests: ModelRequest[] = []
  let problems: string[] = []
  // A resumed or forked session goes on with the same script: turns are counted over sessions.
  const turns = new Map<string, number>()
  let answered = 0

  const replyTo = (request: ModelRequest): ModelReply => {
    if (request.asksFor === 'side') return say('A title')
    requests.push(request)
    if (request.asksFor === 'summary') return say(wire.summary)
    const agent = request.agent ?? 'main'
    const turn = turns.get(agent) ?? 0
    turns.set(agent, turn + 1)
    return script(request, turn)
  }
  const answer = (body: string, incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const request = wire.read(body, requests.length, incoming.headers)
    const reply = replyTo(request)
    outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${answered}` })
    outgoing.end(wire.stream(reply, request.model, `canary${answered++}`))
  }

  const server = createServer((incoming, outgoing) => {
    bodyOf(incoming)
      .then((body) => {
        const { pathname } = new URL(incoming.url ?? '/', 'http://127.0.0.1')
        if (incoming.method === 'POST' && pathname === wire.path) return answer(body, incoming, outgoing)
        // A look whether the address is alive at all.
        if (incoming.method === 'HEAD') return void outgoing.writeHead(200).end()
        if (incoming.method === 'GET' && pathname === '/') return void outgoing.writeHead(200).end('{}')
        problems.push(`the program made a call that the scripted model does not know: ${incoming.method} ${pathname}`)
        outgoing.writeHead(404).end()
      })
      .catch((error: unknown) => {
        problems.push(`the scripted model could not answer: ${String(error)}`)
        // 400 is not tried again by any program, so that the row ends at once.
        if (!outgoing.headersSent) outgoing.writeHead(400, { 'content-type': 'application/json' })
        outgoing.end('{"type":"error","error":{"type":"invalid_request_error","message":"canary"}}')
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a TCP port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${wire.base}`,
    script(next) {
      script = next
      requests = []
      problems = []
      turns.clear()
    },
    requests: () => requests,
    problems: () => problems,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  // Chunks of an incoming message without an encoding are buffers.
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
