/** `contextmd serve`: runs the server until it is told to stop. */
import { parseArgs } from 'node:util'
import { DEFAULT_PORT, pathsFrom, type Paths } from '../paths.ts'
import { mishapFrom, newRequestId, type Mishap } from '../server/failure.ts'
import { ServerError, startServer, type RunningServer } from '../server/start.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { readVersion } from './version.ts'

/** SIGHUP: the terminal was closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export const command: Command = {
  name: 'serve',
  summary: 'Runs the server until Ctrl+C.',
  usage: `contextmd serve [--port PORT]

Runs the server on this machine's loopback address until Ctrl+C or SIGTERM.

      --port PORT   default ${DEFAULT_PORT}; 0 takes any free one. Hooks must be set up with the same port.

Where the same state is already served, it says so and ends: exit code 0, or 1 if another port was asked for.
CONTEXTMD_DATA and CONTEXTMD_SERVING_CONFIG name another data folder and another serving.json.`,
  async run(argv, io) {
    const { values } = parseArgs({ args: argv, options: { port: { type: 'string' } }, allowPositionals: false })
    const port = parsePort(values.port)
    const paths = pathsFrom(io.env)
    const version = readVersion()
    const now = () => Date.now()
    const [{ openEngine }, { openTokens }] = await Promise.all([import('../engine/open.ts'), import('../state/tokens.ts')])
    const tokens = openTokens(paths.tokens, { now })
    const report = (mishap: Mishap) => io.stderr.write(`${mishapLine(mishap)}\n`)
    const onError = (thrown: unknown) => report(mishapFrom(thrown, 'engine', newRequestId()))
    const start = () =>
      startServer({
        paths,
        port,
        version,
        now,
        tokens,
        report,
        openEngine: () => openEngine({ paths, version, now, tokens, env: io.env, onError }),
      })
    return await serveUntilStopped(start, { paths, askedPort: values.port === undefined ? null : port, io })
  },
}

interface Serving {
  readonly paths: Paths
  /** Null when no port was asked for. */
  readonly askedPort: number | null
  readonly io: Io
}

/** Resolves with the exit code after a signal and a clean close. */
export async function serveUntilStopped(start: () => Promise<RunningServer>, { paths, askedPort, io }: Serving): Promise<number> {
  // Before the start: a signal in between would end the process with the state open.
  const stop = stopSignal()
  try {
    const server = await start()
    io.stdout.write(`${servingLine(server, paths)}\n`)
    // What keeps rules from being served is said at once, not only to those who ask for health.
    for (const { severity, message, cure } of server.engine.health().problems) {
      if (severity === 'error') io.stderr.write(`contextmd: ${message} ${cure}\n`)
    }
    await stop.received
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

function servingLine({ address, engine }: RunningServer, paths: Paths): string {
  const stores = engine.health().stores.map(({ name, folder }) => `${name} (${folder})`)
  const where = stores.length === 0 ? `none yet (${paths.serving})` : stores.join(', ')
  return `ContextMD serves at ${address} · state ${paths.state} · your token ${paths.ownToken} · stores ${where} · stop with Ctrl+C`
}

function mishapLine({ requestId, route, name, code, at }: Mishap): string {
  return `contextmd: ${route} failed (request ${requestId}): ${name}${code === null ? '' : ` ${code}`} ${at[0] ?? ''}`.trimEnd()
}

/** A second signal changes nothing: closing has a limit of its own, and a launcher may pass on what the terminal sent already. */
function stopSignal(): { readonly received: Promise<void>; forget(): void } {
  let stop = (): void => {}
  const received = new Promise<void>((resolve) => {
    stop = resolve
  })
  for (const signal of STOP_SIGNALS) process.on(signal, stop)
  return {
    received,
    forget: () => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop)
    },
  }
}

function parsePort(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new CommandError('usage', `--port takes a number from 0 to 65535, not "${text}"`)
}
