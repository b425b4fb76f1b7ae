/**
 * A Model Context Protocol server that has tools and nothing else, as one POST route (streamable HTTP without a stream).
 *
 * Every request is answered by itself, as JSON: there is no session to keep, none to resume, and nothing that the server tells unasked.
 */
import type { Context, Handler } from 'hono'
import { objectIn, textIn, type Json } from '../../harness/json.ts'
import type { ServerEnv } from '../app.ts'
import { readJson } from '../body.ts'
import { refuse, type FailureCode } from '../failure.ts'
import { watchHandover, type HandedOver } from '../handover.ts'
import { messageIn, revisionFor, RPC_ERRORS } from './message.ts'

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: object
  readonly annotations: { readonly readOnlyHint: boolean }
}

export interface ToolCall {
  readonly name: string
  readonly input: Json
  /** What the client itself puts beside the input: no model writes it. */
  readonly meta: Json
  readonly request: Context<ServerEnv>
  /** Monotonic milliseconds when the request arrived. */
  readonly arrived: number
  /** Whether the answer was written out; null where that can't be seen. */
  readonly handedOver: Promise<HandedOver> | null
}

export interface ToolAnswer {
  readonly text: string
  /** The model did something wrong and is told what. */
  readonly isError?: true
}

export interface McpService {
  /** For a client that wants to tell its model what the server is for. */
  readonly instructions: string
  readonly maxBytes: number
  tools(request: Context<ServerEnv>): readonly Tool[]
  /** Null: there is no tool of this name. */
  call(call: ToolCall): Promise<ToolAnswer | null>
  /** Told when a body could not be taken. */
  refused?(request: Context<ServerEnv>, failure: FailureCode): void
}

export function mcpRoute(service: McpService, version: () => string): Handler<ServerEnv> {
  return async (c) => {
    const arrived = performance.now()
    const handedOver = watchHandover(c.env)
    const body = await readJson(c.req.raw, service.maxBytes)
    if (!body.ok) {
      service.refused?.(c, body.failure)
      return refuse(c, body.failure)
    }
    const message = messageIn(body.value)
    if (message.kind === 'told') return c.body(null, 202)
    if (message.kind === 'invalid') return c.json({ jsonrpc: '2.0', id: null, error: RPC_ERRORS.invalid }, 400)
    const { id, method, params } = message
    const answer = (result: object): Response => c.json({ jsonrpc: '2.0', id, result })
    const fail = (error: (typeof RPC_ERRORS)[keyof typeof RPC_ERRORS]): Response => c.json({ jsonrpc: '2.0', id, error })
    switch (method) {
      case 'initialize':
        return answer({
          protocolVersion: revisionFor(params['protocolVersion']),
          capabilities: { tools: {} },
          serverInfo: { name: 'contextmd', title: 'ContextMD', version: version() },
          instructions: service.instructions,
        })
      case 'ping':
        return answer({})
      case 'tools/list':
        return answer({ tools: service.tools(c) })
      case 'tools/call': {
        const call = { name: textIn(params['name']) ?? '', input: objectIn(params['arguments']), meta: objectIn(params['_meta']) }
        const given = await service.call({ ...call, request: c, arrived, handedOver })
        if (given === null) return fail(RPC_ERRORS.unknownTool)
        return answer({ content: [{ type: 'text', text: given.text }], ...(given.isError === undefined ? {} : { isError: true }) })
      }
      default:
        return fail(RPC_ERRORS.unknownMethod)
    }
  }
}

/** There is no stream to listen to and no session to end: clients that ask for one go on without. */
export const refuseOtherMethods: Handler<ServerEnv> = (c) => {
  c.header('allow', 'POST')
  return refuse(c, 'method_refused')
}
