/** One request of the host, through the HTTP interface, to an answer of Effect. Never fails: a call whose answer fails passes. */
import { Effect, Stream, type Context } from 'effect'
import { askHost } from './caller.ts'
import type { EffectHttp, HostRequest } from './effect-http.ts'
import type { Inside } from './inside.ts'
import { closeAfterAnswer, nodeSocketOf } from './node-socket.ts'
import { takeRequest } from './request.ts'
import type { Authenticate } from './services.ts'

const TOO_LARGE = 413

export interface Answering<Answer> {
  readonly http: EffectHttp<Answer, unknown>
  readonly inside: Inside
  readonly authenticate: Authenticate | null
}

export function answerRequest<Answer>({ http, inside, authenticate }: Answering<Answer>, request: HostRequest): Effect.Effect<Answer> {
  const answer = async (context: Context.Context<never>, signal: AbortSignal): Promise<Answer> => {
    const socket = nodeSocketOf(request)
    const taken = takeRequest(request, context, signal)
    const ask = async () => (authenticate === null ? { kind: 'refused' as const } : await askHost(authenticate, request, context))
    const response = await inside.fetch(taken.request, { ask, socket })
    // nobody would read on: what follows the log must not follow it for ever
    if (signal.aborted) await response.body?.cancel()
    const isEnded = await taken.endBody(response.status === TOO_LARGE)
    if (!isEnded && socket !== null) closeAfterAnswer(socket)
    return await answerOf(http, response, socket !== null)
  }
  return Effect.context<never>().pipe(
    Effect.flatMap((context) => Effect.tryPromise((signal) => answer(context, signal))),
    // the interface turns its own failures into answers; this is what breaks around it
    Effect.catch(() => Effect.succeed(http.empty({ status: 204, headers: {} }))),
  )
}

/** `isNode`: on Node's HTTP/1.1, where a connection that carried a stream is closed with it, so that a host that closes has one less to wait for. */
async function answerOf<Answer>(http: EffectHttp<Answer, unknown>, response: Response, isNode: boolean): Promise<Answer> {
  const head = { status: response.status, headers: Object.fromEntries(response.headers) }
  const { body } = response
  if (body === null) return http.empty(head)
  if (!head.headers['content-type']?.startsWith('text/event-stream')) return http.bytes(new Uint8Array(await response.arrayBuffer()), head)
  // the stream's end, by whichever side, cancels its source
  const last = isNode ? { ...head, headers: { ...head.headers, connection: 'close' } } : head
  return http.stream(Stream.fromReadableStream({ evaluate: () => body, onError: (error) => error }), last)
}
