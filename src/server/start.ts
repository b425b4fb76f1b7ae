/** Starts the server of one state on a loopback port, and tells others where it is. */
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Millis } from '../core/id.ts'
import type { OpenedEngine } from '../engine/logbook.ts'
import type { Paths } from '../paths.ts'
import { StateError } from '../state.ts'
import type { Tokens } from '../state/tokens.ts'
import { loopbackHosts } from './access.ts'
import { createApp } from './app.ts'
import { mishapFrom, newRequestId, type Mishap } from './failure.ts'
import { watchLoopDelay, type LoopDelay } from './loop-delay.ts'
import { newMomentTimes } from './metrics-times.ts'
import { DEADLINE_MS } from './moment.ts'
import { momentListener } from './moment-listener.ts'
import { readServerFile, removeServerFile, type StartedAs } from './server-file.ts'
import { openTelling } from './telling.ts'

/** Of this machine only: nothing else can reach it. */
const LOOPBACK = '127.0.0.1'
/** Hooks reuse connections; one that the server closes at that very moment is a call that passes unseen, so they are kept long. */
const KEEP_ALIVE_MS = 5 * 60_000
/** A whole request, body included. A moment is answered long before; this frees what hangs. */
const REQUEST_TIMEOUT_MS = 10_000
/** Answers that are being written when the server closes get this long. The longest moment takes 700 ms. */
const CLOSE_GRACE_MS = 1_000
/** A kept connection becomes idle when its last answer is out, which Node tells nobody. */
const IDLE_SWEEP_MS = 20

export class ServerError extends Error {
  override readonly name = 'ServerError'
  /** `running`: another server owns this state. `port`: a stranger listens on the port. `failed`: the system refused. */
  readonly code: 'running' | 'port' | 'failed'
  /** Of the server that is running, if it is known. */
  readonly address: string | null
  constructor(code: ServerError['code'], message: string, options?: ErrorOptions & { readonly address?: string | null }) {
    super(message, options)
    this.code = code
    this.address = options?.address ?? null
  }
}

export interface StartOptions {
  readonly paths: Paths
  /** 0: any free one. */
  readonly port: number
  readonly version: string
  readonly startedAs?: StartedAs
  readonly now: () => Millis
  readonly tokens: Pick<Tokens, 'check' | 'issue'>
  /** Opens the engine, which takes the state's lock: throws a `StateError` `taken` where another server has it. */
  readonly openEngine: () => OpenedEngine | Promise<OpenedEngine>
  readonly report: (mishap: Mishap) => void
  /** For a moment's answer; tests set it far off or near. */
  readonly deadlineMs?: number
}

export interface RunningServer {
  /** `http://127.0.0.1:PORT` */
  readonly address: string
  readonly engine: OpenedEngine
  /** Lets running answers finish, ends streams, closes the engine and takes back `server.json`. May be called twice. */
  close(): Promise<void>
}

/** Throws a `ServerError`. */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const { paths, tokens, now, report, version, startedAs = 'terminal', deadlineMs = DEADLINE_MS } = options
  const engine = await openOrExplain(options)
  const closing = new AbortController()
  let hosts: ReadonlySet<string> = new Set()
  let loopDelay: LoopDelay | null = null
  const telling = openTelling({
    paths,
    tokens,
    version,
    startedAs,
    now,
    ownsState: () => !engine.health().problems.some(({ code }) => code === 'state_taken'),
    onError: (error) => report(mishapFrom(error, 'announce', newRequestId())),
  })
  const times = newMomentTimes()
  const app = createApp({
    engine,
    tokens,
    hosts: () => hosts,
    now,
    closing: closing.signal,
    prove: telling.prove,
    problems: telling.problems,
    counters: () => ({ loop_delay_max_ms: loopDelay?.max() ?? 0 }),
    report,
    deadlineMs,
    times,
  })
  // The adapter would put its own Request and Response in place of the global ones of the whole process.
  const others = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  const listener = momentListener({ engine, tokens, hosts: () => hosts, times, deadlineMs, report }, others)
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_TIMEOUT_MS, noDelay: true }, listener)

  try {
    const port = await listen(server, options.port)
    // Later errors are of single connections (no file handle left): they must not end the process.
    server.on('error', (error) => report(mishapFrom(error, 'accept', newRequestId())))
    hosts = loopbackHosts(port)
    // the start itself, which loads all entries, holds nobody up
    loopDelay = watchLoopDelay()
    const address = `http://${LOOPBACK}:${port}`
    telling.begin(port, address)
    let closed: Promise<void> | null = null
    return { address, engine, close: () => (closed ??= close()) }
  } catch (error) {
    await engine.close()
    throw error
  }

  async function close(): Promise<void> {
    // The port is free from here on, the process lives on: who has proven this line must ask again, and nobody may prove the new one.
    telling.end()
    const ended = new Promise<void>((resolve) => server.close(() => resolve()))
    closing.abort()
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS)
    const grace = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS)
    await ended
    loopDelay?.stop()
    clearInterval(sweep)
    clearTimeout(grace)
    await engine.close()
    removeServerFile(paths.server, process.pid)
  }
}

async function openOrExplain({ paths, openEngine }: StartOptions): Promise<OpenedEngine> {
  try {
    return await openEngine()
  } catch (error) {
    if (!(error instanceof StateError) || error.code !== 'taken') throw error
    const named = readServerFile(paths.server)
    // inside a host it has a state of its own: it is another one that has this
    const other = named?.startedAs === 'host' ? null : named
    const where = other === null ? '' : ` at ${other.address} (process ${other.pid})`
    throw new ServerError('running', `ContextMD is already running on this state${where}`, {
      cause: error,
      address: other?.address ?? null,
    })
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, port)))
    server.listen(port, LOOPBACK, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function listenError(error: NodeJS.ErrnoException, port: number): ServerError {
  if (error.code === 'EADDRINUSE') {
    const cure = 'stop it, or choose another with --port and run setup with the same port'
    return new ServerError('port', `port ${port} is in use by another program: ${cure}`, { cause: error })
  }
  if (error.code === 'EACCES')
    return new ServerError('port', `port ${port} may not be used by you: choose one above 1023`, { cause: error })
  return new ServerError('failed', `can't listen on port ${port}: ${error.code ?? error.message}`, { cause: error })
}
