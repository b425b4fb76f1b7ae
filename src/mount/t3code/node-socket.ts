/** Node's own request and response behind a request of Effect, where the host stands on Node's server (`@effect/platform-node`). */
import { IncomingMessage, ServerResponse } from 'node:http'
import type { HostRequest } from './effect-http.ts'

/** A client whose body nobody reads to its end gets this long to take its answer. */
const CLOSE_GRACE_MS = 1_000

export interface NodeSocket {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

/** Null on another server: then a reply is settled by its client, or released after its time. */
export function nodeSocketOf(request: HostRequest): NodeSocket | null {
  const incoming = request.source
  const outgoing = 'response' in request ? request.response : null
  return incoming instanceof IncomingMessage && outgoing instanceof ServerResponse ? { incoming, outgoing } : null
}

/** Ends our side once the answer is out, and the connection a little later: closing it at once could reset it under the answer. */
export function closeAfterAnswer({ outgoing, incoming: { socket } }: NodeSocket): void {
  outgoing.once('finish', () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), CLOSE_GRACE_MS)
    socket.once('close', () => clearTimeout(timer))
  })
}
