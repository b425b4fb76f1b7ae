/**
 * A request of the host as a standard `Request`, its body read from Effect's stream only when it is asked for.
 *
 * Failing out of that stream closes the socket, and the client gets a reset in place of its 413; what is left of a body that was too
 * large is therefore read and thrown away before the answer, up to a limit, and after that the connection is closed gently.
 */
import { Stream, type Context } from 'effect'
import type { HostRequest } from './effect-http.ts'

/** Past this a client that goes on sending is not listened to any more. A real body over the cap of 8 MB stays far below. */
const MAX_DRAIN_BYTES = 32 * 1024 * 1024
/** A client that sends slowly does not hold the answer up. */
const MAX_DRAIN_MS = 500

export interface Taken {
  readonly request: Request
  /**
   * To be called before an answer goes out. False: the body is not at its end, so no other request can follow on this connection.
   * `isTooLarge`: the body was refused for its size.
   */
  endBody(isTooLarge: boolean): Promise<boolean>
}

/** `signal` is aborted when the client hangs up. */
export function takeRequest(request: HostRequest, context: Context.Context<never>, signal: AbortSignal): Taken {
  // only path and query count: the host is reached under names of its own
  const url = new URL(request.url, 'http://127.0.0.1')
  const headers = new Headers(Object.entries(request.headers).filter((entry): entry is [string, string] => entry[1] !== undefined))
  const init = { method: request.method, headers, signal }
  const hasBody = headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0
  if (!hasBody || request.method === 'GET' || request.method === 'HEAD') {
    return { request: new Request(url, init), endBody: async () => true }
  }
  const body = takeBody(request.stream, context)
  return {
    // `duplex` is what a streamed body needs (fetch standard); Node's types do not know it
    request: new Request(url, { ...init, body: body.stream, duplex: 'half' } as RequestInit),
    endBody: (isTooLarge) => body.end(isTooLarge, headers.get('expect') !== null),
  }
}

function takeBody(source: HostRequest['stream'], context: Context.Context<never>) {
  const chunks = Stream.toAsyncIterableWith(source, context)[Symbol.asyncIterator]()
  let state: 'untouched' | 'between' | 'reading' | 'ended' = 'untouched'

  /** Null at the end. Rejects when the connection broke. */
  async function read(): Promise<Uint8Array | null> {
    state = 'reading'
    try {
      const { done, value } = await chunks.next()
      state = done === true ? 'ended' : 'between'
      return done === true ? null : value
    } catch (error) {
      state = 'ended'
      throw error
    }
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await read()
        if (chunk === null) controller.close()
        else controller.enqueue(chunk)
      },
    },
    // nothing is read ahead: who is refused has sent for nothing
    { highWaterMark: 0 },
  )

  async function end(isTooLarge: boolean, isAsking: boolean): Promise<boolean> {
    if (state === 'ended') return true
    // the client waits for leave to send, or a read waits for the client
    if (state === 'reading' || (state === 'untouched' && isAsking)) return false
    // what nobody has touched Node throws away by itself
    if (state === 'untouched' && !isTooLarge) return true
    return isTooLarge && (await drain())
  }

  /** True: it ended in time. */
  async function drain(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, MAX_DRAIN_MS, false)
    })
    try {
      return await Promise.race([readOn(), tooLong])
    } finally {
      clearTimeout(timer)
    }
  }

  async function readOn(): Promise<boolean> {
    let bytes = 0
    try {
      for (;;) {
        const chunk = await read()
        if (chunk === null) return true
        bytes += chunk.byteLength
        if (bytes > MAX_DRAIN_BYTES) return false
      }
    } catch {
      // the connection broke: there is nothing left to read
      return true
    }
  }

  return { stream, end }
}
