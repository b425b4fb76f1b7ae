/** Whether a reply was handed over: its bytes were written out to a client that had not closed (law 3). */
import type { HttpBindings } from '@hono/node-server'

export type HandedOver = 'handed' | 'dropped'

/**
 * Watches the response of one request from its arrival on. Resolves once, always.
 *
 * Null where the app is mounted in a server that is not Node's: there the client settles, or the engine releases after its time.
 */
export function watchHandover(bindings: Partial<HttpBindings> | undefined): Promise<HandedOver> | null {
  const { incoming, outgoing } = bindings ?? {}
  return incoming === undefined || outgoing === undefined ? null : handoverOf(incoming, outgoing)
}

export function handoverOf(incoming: HttpBindings['incoming'], outgoing: HttpBindings['outgoing']): Promise<HandedOver> {
  return new Promise((resolve) => {
    // `finish` only says that the system took the bytes; a client that hung up before that has ended the socket's reading side.
    outgoing.once('finish', () => resolve(incoming.socket.readableEnded || incoming.socket.destroyed ? 'dropped' : 'handed'))
    outgoing.once('close', () => resolve('dropped'))
  })
}
