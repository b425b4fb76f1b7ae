/**
 * From the host's services to an open engine, or to what stands in its place. Never fails (S1).
 *
 * What could not be opened is tried again when a later moment comes, in the background: the server that had the state may be gone, the
 * folder may be writable now.
 */
import { Effect, type Context } from 'effect'
import { disabledInside } from './disabled.ts'
import type { HostSql } from './effect-http.ts'
import type { Inside, Obstacle } from './inside.ts'
import type { HostServices } from './services.ts'

/** Between two attempts to open what failed to open. */
const AGAIN_MS = 5_000

/** What opening needs of the host. */
export interface Ready {
  readonly stateDir: string
  readonly sql: HostSql
  readonly context: Context.Context<never>
  /** Writes a line into the host's log. */
  readonly log: (line: string) => void
}

export type Open = (ready: Ready) => Promise<Inside>

/** `mono`: monotonic milliseconds. */
export async function openOrDisable(
  services: HostServices,
  context: Context.Context<never>,
  open: Open = openEngine,
  mono: () => number = () => performance.now(),
): Promise<Inside> {
  const log = (line: string) => void Effect.runFork(Effect.provideContext(Effect.logWarning(`ContextMD: ${line}`), context))
  const { authenticate, stateDir, sql } = services
  if (authenticate === null) return missing('EnvironmentAuth', 'auth', log)
  if (stateDir === null) return missing('ServerConfig with a stateDir', 'config', log)
  if (sql === null) return missing('SqlClient', 'database', log)
  const opener = newOpener(() => open({ stateDir, sql, context, log }), log, mono)
  await opener.attempt()
  return opener.inside
}

function missing(service: string, what: string, log: (line: string) => void): Inside {
  const message = `The host gives no ${service}, so nothing is served.`
  log(message)
  const cure = 'Update ContextMD, or hand the service over: docs/hosts/t3code-inside.md.'
  return disabledInside({ code: `host_${what}_missing`, message, cure }, true)
}

function newOpener(open: () => Promise<Inside>, log: (line: string) => void, mono: () => number) {
  let current: { readonly kind: 'open' | 'disabled'; readonly inside: Inside } | null = null
  let running: Promise<void> | null = null
  let triedAt = -Infinity
  let isClosed = false

  async function attempt(): Promise<void> {
    triedAt = mono()
    try {
      const inside = await open()
      if (isClosed) return await inside.close()
      current = { kind: 'open', inside }
    } catch (error) {
      const obstacle = obstacleFrom(error)
      if (current === null) log(`${obstacle.message} Until that is over, every call passes unserved.`)
      current = { kind: 'disabled', inside: disabledInside(obstacle, false) }
    }
  }

  function againSoon(): void {
    if (running !== null || isClosed || mono() - triedAt < AGAIN_MS) return
    running = attempt().finally(() => (running = null))
  }

  const inside: Inside = {
    async fetch(request, call) {
      if (current === null) return new Response(null, { status: 204 })
      const answer = current.inside.fetch(request, call)
      if (current.kind === 'disabled') againSoon()
      return await answer
    },
    async close() {
      isClosed = true
      await running
      await current?.inside.close()
    },
  }
  return { attempt, inside }
}

/** Our own failures (`StateError`) say what to do; of others only the kind is told, since messages may quote what they failed on. */
function obstacleFrom(error: unknown): Obstacle {
  if (error instanceof Error && error.name === 'StateError' && 'code' in error) {
    return { code: `state_${String(error.code)}`, message: error.message, cure: 'It is tried again when moments come.' }
  }
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  const name = error instanceof Error ? error.name : typeof error
  return {
    code: 'not_opened',
    message: `ContextMD could not be opened: ${name}${code}.`,
    cure: `It needs Node 22.16 or newer, and this is ${process.version}; see the host's log, and update ContextMD.`,
  }
}

async function openEngine({ log, ...ready }: Ready): Promise<Inside> {
  const { openInside } = await import('./open-inside.ts')
  return openInside({
    ...ready,
    env: process.env,
    now: () => Date.now(),
    report: ({ requestId, route, name, code, at }) =>
      log(`${route} failed (request ${requestId}): ${name}${code === null ? '' : ` ${code}`} ${at[0] ?? ''}`.trimEnd()),
  })
}
