/** The HTTP interface of an engine inside a host: the host is asked who calls, and its address is the one that is proven. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Millis } from '../../core/id.ts'
import type { OpenedEngine } from '../../engine/logbook.ts'
import { ensureKey, proofOf } from '../../proof.ts'
import { createApp } from '../../server/app.ts'
import type { Mishap } from '../../server/failure.ts'
import { hostGuard, type GuardOptions } from './guard.ts'
import type { Call, Inside } from './inside.ts'

export interface ServeInside {
  readonly engine: OpenedEngine
  readonly saw: GuardOptions['saw']
  readonly now: () => Millis
  readonly report: (mishap: Mishap) => void
  /** Of the secret by which the hooks of this person know a server of ours. */
  readonly keyFile?: string
  /** For a moment's answer; tests set it far off or near. */
  readonly deadlineMs?: number
}

/** Closes the engine with it. */
export function serveInside({ engine, saw, now, report, keyFile, deadlineMs }: ServeInside): Inside {
  const calls = new WeakMap<Request, Call>()
  const closing = new AbortController()
  // the host knows it, and each request tells it
  let port: number | null = null
  const key = keyFile === undefined ? null : keyIn(keyFile)
  const app = createApp({
    engine,
    // tokens of our own open nothing here
    tokens: { check: () => 'unknown' },
    hosts: null,
    requireScope: hostGuard({ engine, saw, ask: async (request) => (await calls.get(request)?.ask()) ?? { kind: 'refused' } }),
    now,
    closing: closing.signal,
    prove: (nonce) => (key === null || port === null ? null : proofOf(nonce, port, key)),
    report,
    ...(deadlineMs !== undefined && { deadlineMs }),
  })
  return {
    async fetch(request, call) {
      calls.set(request, call)
      port = call.socket?.incoming.socket.localPort ?? port
      return await app.fetch(request, call.socket ?? {})
    },
    async close() {
      closing.abort()
      await engine.close()
    },
  }
}

/** Null where it can't be had: then hooks that want a proof do not post here. */
function keyIn(file: string): string | null {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    return ensureKey(file)
  } catch {
    return null
  }
}
