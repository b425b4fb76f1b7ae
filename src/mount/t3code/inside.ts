/** What the mount opens: the engine with its HTTP interface, or what stands in its place while it can't be had. */
import type { Asked } from './caller.ts'
import type { NodeSocket } from './node-socket.ts'

/** One request's surroundings. */
export interface Call {
  /** Asks the host who calls. */
  readonly ask: () => Promise<Asked>
  /** Null where the host does not stand on Node's server. */
  readonly socket: NodeSocket | null
}

export interface Inside {
  /** Rejects only when the interface itself fails. */
  fetch(request: Request, call: Call): Promise<Response>
  close(): Promise<void>
}

/** A failure on the way to an open engine, as it is shown to people. */
export interface Obstacle {
  readonly code: string
  readonly message: string
  readonly cure: string
}
