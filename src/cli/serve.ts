/** `contextmd serve`: runs the server until it is told to stop. */
import { parseArgs } from 'node:util'
import type { Millis } from '../core/id.ts'
import { DEFAULT_PORT, pathsFrom, type Paths } from '../paths.ts'
import type { StartedAs } from '../server/server-file.ts'
import { ServerError, type RunningServer } from '../server/start.ts'
import { setUpPort } from '../service/addresses.ts'
import { findServer, PATIENT_PROOF_MS } from '../service/find.ts'
import { whenGone } from '../service/gone.ts'
import { IDLE_MS, newIdle, whenIdle } from '../service/idle.ts'
import { openLogFile } from '../service/log-file.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { parseDuration } from './duration.ts'
import { serverStarter, startOrElsewhere } from './serve-start.ts'

/** SIGHUP: the terminal was closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const WAYS = ['terminal', 'service', 'background'] as const satisfies readonly StartedAs[]

export const command: Command = {
  name: 'serve',
  summary: 'Runs the server until Ctrl+C.',
  usage: `contextmd serve [--port PORT] [--as terminal|service|background] [--idle SPAN]

Runs the server on this machine's loopback address until Ctrl+C or SIGTERM.

      --port PORT   default: the one that setup wrote into the hooks, else ${DEFAULT_PORT}; 0 takes any free one
      --as WAY      terminal (default); service: for a service manager, it writes to server.log in the data folder; background: that,
                    it takes a free port where its own is in use, and it ends when idle. "contextmd service start" does this
      --idle SPAN   ends when no moment came for so long: 8h, 30m (default: 7 days in the background, else never)

Where the same state is already served, it says so and ends: exit code 0, or 1 if another port was asked for.
CONTEXTMD_DATA and CONTEXTMD_SERVING_CONFIG name another data folder and another serving.json.`,
  async run(argv, io) {
    const options = { port: { type: 'string' }, as: { type: 'string', default: 'terminal' }, idle: { type: 'string' } } as const
    const { values } = parseArgs({ args: argv, options, allowPositionals: false })
    const asked = values.port === undefined ? null : parsePort(values.port)
    const startedAs = parseWay(values.as)
    const idleMs = values.idle === undefined ? (startedAs === 'background' ? IDLE_MS : null) : parseDuration(values.idle, '--idle')
    const paths = pathsFrom(io.env)
    const told = startedAs === 'terminal' ? io : logged(paths, io)
    const start = await serverStarter({ paths, startedAs, io: told })
    await tellHost(paths, told)
    const port = asked ?? setUpPort(paths) ?? DEFAULT_PORT
    const startHere = () => (startedAs === 'background' ? startOrElsewhere(start, port, told) : start(port))
    return await serveUntilStopped(startHere, {
      paths,
      askedPort: asked,
      idleMs,
      io: told,
      ...(startedAs === 'terminal' ? {} : { stopBy: 'contextmd service stop' }),
      endsWhenGone: startedAs === 'background',
    })
  },
}

interface Serving {
  readonly paths: Paths
  /** Null when no port was asked for. */
  readonly askedPort: number | null
  /** Null: it never ends by itself. */
  readonly idleMs?: Millis | null
  /** It ends when its data folder is removed: nobody could find it to stop it. */
  readonly endsWhenGone?: boolean
  /** How a person ends it. */
  readonly stopBy?: string
  readonly io: Io
}

/** Resolves with the exit code after a signal, or when nobody needs it any more, and a clean close. */
export async function serveUntilStopped(
  start: () => Promise<RunningServer>,
  { paths, askedPort, idleMs = null, endsWhenGone = false, stopBy = 'Ctrl+C', io }: Serving,
): Promise<number> {
  // Before the start: a signal in between would end the process with the state open.
  const stop = stopSignal()
  try {
    const server = await start()
    io.stdout.write(`${servingLine(server, paths, stopBy)}\n`)
    // What keeps rules from being served is said at once, not only to those who ask for health.
    for (const { severity, message, cure } of server.engine.health().problems) {
      if (severity === 'error') io.stderr.write(`contextmd: ${message} ${cure}\n`)
    }
    const ends = [stop.received, ...(idleMs === null ? [] : [idleEnd(server, idleMs)]), ...(endsWhenGone ? [goneEnd(paths)] : [])]
    const why = await Promise.race(ends)
    if (why !== null) io.stdout.write(`${why}\n`)
    await server.close()
    // the signals stay caught until the process is gone: a second one must not change its exit code
    return 0
  } catch (error) {
    stop.forget()
    if (!(error instanceof ServerError) || error.code !== 'running') throw error
    io.stdout.write(`${error.message}.\n`)
    const isWanted = askedPort === null || error.address?.endsWith(`:${askedPort}`) === true
    return isWanted ? 0 : 1
  }
}

/** Both may run; hooks post to one, and that is the server beside while it runs. */
async function tellHost(paths: Paths, io: Pick<Io, 'stderr'>): Promise<void> {
  const found = await findServer(paths, PATIENT_PROOF_MS)
  if (found.state !== 'ours' || found.file.startedAs !== 'host') return
  const { address, pid } = found.file
  io.stderr.write(
    `contextmd: ContextMD is also a part of a host, at ${address} (process ${pid}). While this server runs, hooks post here and not there.\n`,
  )
}

async function idleEnd({ engine }: RunningServer, idleMs: Millis): Promise<string | null> {
  const idle = newIdle(idleMs, () => Date.now())
  engine.onLog(() => idle.touch())
  await whenIdle(idle).ended
  return 'No moment came for long: it ends. The next session starts it again.'
}

async function goneEnd({ server }: Paths): Promise<null> {
  await whenGone(server, process.pid).ended
  // its log is gone too
  return null
}

function servingLine({ address, engine }: RunningServer, paths: Paths, stopBy: string): string {
  const stores = engine.health().stores.map(({ name, folder }) => `${name} (${folder})`)
  const where = stores.length === 0 ? `none yet (${paths.serving})` : stores.join(', ')
  return `ContextMD serves at ${address} · state ${paths.state} · your token ${paths.ownToken} · stores ${where} · stop with ${stopBy}`
}

/** All that it says goes to the log file. */
function logged({ log }: Paths, io: Io): Io {
  const file = openLogFile(log, () => Date.now())
  return { ...io, stdout: file, stderr: file, isTTY: false }
}

/** A second signal changes nothing: closing has a limit of its own, and a launcher may pass on what the terminal sent already. */
function stopSignal(): { readonly received: Promise<string | null>; forget(): void } {
  let stop = (_signal: string): void => {}
  const received = new Promise<string | null>((resolve) => {
    // the other signals come from the person's own terminal
    stop = (signal) => resolve(signal === 'SIGTERM' ? 'Asked to end: it ends.' : null)
  })
  const listener = (signal: string): void => stop(signal)
  for (const signal of STOP_SIGNALS) process.on(signal, listener)
  return {
    received,
    forget: () => {
      for (const signal of STOP_SIGNALS) process.off(signal, listener)
    },
  }
}

function parseWay(text: string): (typeof WAYS)[number] {
  const way = WAYS.find((known) => known === text)
  if (way !== undefined) return way
  throw new CommandError('usage', `--as takes ${WAYS.join(', ')}, not "${text}"`)
}

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new CommandError('usage', `--port takes a number from 0 to 65535, not "${text}"`)
}
