/**
 * Node's server below the host's routes, which each request names. It tells when that server stops to listen: then the host is on its
 * way down.
 *
 * Our own finalizer comes too late for that: Effect's server closes before the routes, and waits up to 20 s for answers that are still
 * open (`gracefulShutdownTimeout` of `NodeHttpServer`). Node announces the end of listening by no event, so it is looked for.
 */
import { Server } from 'node:net'
import type { NodeSocket } from './node-socket.ts'

/** Long enough to cost nothing, short enough that nobody waits for it. */
const LOOK_EVERY_MS = 250

export interface HostListener {
  /** The server that this request came in by. */
  saw(socket: NodeSocket): void
  stop(): void
}

/** `onClosing` is called once. */
export function watchListener(onClosing: () => void): HostListener {
  let server: Server | null = null
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => clearInterval(timer)
  const look = (): void => {
    if (server === null || server.listening) return
    stop()
    onClosing()
  }
  return {
    saw({ incoming: { socket } }) {
      if (server !== null) return
      // Node sets it on every socket that a server of its own accepted, and documents it nowhere
      const found: unknown = 'server' in socket ? socket.server : null
      if (!(found instanceof Server) || !found.listening) return
      server = found
      timer = setInterval(look, LOOK_EVERY_MS).unref()
    },
    stop,
  }
}
