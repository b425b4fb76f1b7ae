/** The HTTP interface of an engine inside a host: the host is asked who calls, and its address is the one that is proven. */
import type { Millis } from '../../core/id.ts'
import type { OpenedEngine } from '../../engine/logbook.ts'
import { proofOf } from '../../proof.ts'
import { createApp } from '../../server/app.ts'
import type { Mishap } from '../../server/failure.ts'
import { hostGuard, type GuardOptions } from './guard.ts'
import { watchListener } from './host-listener.ts'
import type { Call, Inside } from './inside.ts'

export interface ServeInside {
  readonly engine: OpenedEngine
  readonly saw: GuardOptions['saw']
  readonly refused?: NonNullable<GuardOptions['refused']>
  readonly now: () => Millis
  readonly report: (mishap: Mishap) => void
  /** Gives the secret by which the hooks of this person know a server of ours. Without one nothing is proven. */
  readonly key?: () => string | null
  /** A request came in at this port of the host. */
  readonly onPort?: (port: number) => void
  /** The host stops to listen: it closes soon. */
  readonly onClosing?: () => void
  /** For a moment's answer; tests set it far off or near. */
  readonly deadlineMs?: number
}

/** Closes the engine with it. */
export function serveInside({ engine, saw, refused, now, report, key = () => null, onPort, onClosing, deadlineMs }: ServeInside): Inside {
  const calls = new WeakMap<Request, Call>()
  const closing = new AbortController()
  // the host knows it, and each request tells it
  let port: number | null = null
  const listener = watchListener(() => {
    // a host that waits for open answers need not wait for who follows the log
    closing.abort()
    onClosing?.()
  })
  const app = createApp({
    engine,
    // tokens of our own open nothing here
    tokens: { check: () => 'unknown' },
    hosts: null,
    requireScope: hostGuard({
      engine,
      saw,
      ...(refused && { refused }),
      ask: async (request) => (await calls.get(request)?.ask()) ?? { kind: 'refused' },
    }),
    now,
    closing: closing.signal,
    prove: (nonce) => proofAt(nonce, port, key()),
    report,
    ...(deadlineMs !== undefined && { deadlineMs }),
  })
  return {
    async fetch(request, call) {
      calls.set(request, call)
      if (call.socket !== null) listener.saw(call.socket)
      const seen = call.socket?.incoming.socket.localPort
      if (seen !== undefined) {
        port = seen
        onPort?.(seen)
      }
      return await app.fetch(request, call.socket ?? {})
    },
    async close() {
      listener.stop()
      closing.abort()
      await engine.close()
    },
  }
}

/** Null where there is nothing to prove with. */
function proofAt(nonce: string, port: number | null, key: string | null): string | null {
  return key === null || port === null ? null : proofOf(nonce, port, key)
}
