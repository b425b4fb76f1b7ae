/** Puts a server together from its parts, for `serve` and `run`. */
import type { Paths } from '../paths.ts'
import { mishapFrom, newRequestId, type Mishap } from '../server/failure.ts'
import { DEADLINE_MS } from '../server/moment.ts'
import type { StartedAs } from '../server/server-file.ts'
import { ServerError, startServer, type RunningServer } from '../server/start.ts'
import { withHostToken } from '../install/hook-token.ts'
import { keepTokens } from '../install/keep-tokens.ts'
import { addressProblems } from '../service/addresses.ts'
import { portOf } from '../service/find.ts'
import { startProblems } from '../service/start-file.ts'
import type { Tokens } from '../state/tokens.ts'
import type { Io } from './command.ts'
import { readVersion } from './version.ts'

export interface Starting {
  readonly paths: Paths
  readonly startedAs: StartedAs
  readonly io: Io
  /** Whose tokens are good; default: those of the data folder. */
  readonly tokens?: Tokens
  /** Where setup has left its records; default: the data folder. */
  readonly records?: Pick<Paths, 'data' | 'hooks'>
}

/** Gives what starts the server on a port. */
export async function serverStarter({
  paths,
  startedAs,
  io,
  tokens: given,
  records = paths,
}: Starting): Promise<(port: number) => Promise<RunningServer>> {
  const version = readVersion()
  const now = () => Date.now()
  const [{ openEngine, patienceIn }, { openTokens }] = await Promise.all([import('../engine/open.ts'), import('../state/tokens.ts')])
  const tokens = given ?? withHostToken(openTokens(paths.tokens, { now }), paths.data, now)
  const report = (mishap: Mishap) => io.stderr.write(`${mishapLine(mishap)}\n`)
  const onError = (thrown: unknown) => report(mishapFrom(thrown, 'engine', newRequestId()))
  let at: number | null = null
  const otherProblems = () => [...(at === null ? [] : addressProblems(records, at)), ...startProblems(records)]
  return async (port) => {
    const openIt = () => openEngine({ paths, version, now, tokens, otherProblems, env: io.env, onError })
    const deadlineMs = DEADLINE_MS * patienceIn(io.env)
    const server = await startServer({ paths, port, version, startedAs, now, tokens, report, deadlineMs, openEngine: openIt })
    at = portOf(server)
    const stopKeeping = keepTokens({ paths, tokens, now, onError })
    const close = async (): Promise<void> => {
      stopKeeping()
      await server.close()
    }
    return { ...server, close }
  }
}

/** Nobody sees that the port is taken: command hooks and plugins find it elsewhere, and for the rest health says so. */
export async function startOrElsewhere(
  start: (port: number) => Promise<RunningServer>,
  port: number,
  io: Pick<Io, 'stderr'>,
): Promise<RunningServer> {
  try {
    return await start(port)
  } catch (error) {
    if (!(error instanceof ServerError) || error.code !== 'port') throw error
    io.stderr.write(`contextmd: ${error.message}. A free one is taken instead.\n`)
    return await start(0)
  }
}

function mishapLine({ requestId, route, name, code, at }: Mishap): string {
  return `contextmd: ${route} failed (request ${requestId}): ${name}${code === null ? '' : ` ${code}`} ${at[0] ?? ''}`.trimEnd()
}
