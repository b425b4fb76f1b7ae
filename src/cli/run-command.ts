/** `contextmd run`: a server for the life of one command. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { pathsFrom, type Paths } from '../paths.ts'
import { ServerError, type RunningServer } from '../server/start.ts'
import { withHostToken } from '../install/hook-token.ts'
import { addressProblems, setUpAddresses, setUpPort } from '../service/addresses.ts'
import { portOf } from '../service/find.ts'
import { openTokens, type Tokens } from '../state/tokens.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { runChild } from './run-child.ts'
import { writeReport } from './run-report.ts'
import { serverStarter, startOrElsewhere } from './serve-start.ts'

export const command: Command = {
  name: 'run',
  summary: 'Runs one command with a server of its own: for CI, and for agents that answer once.',
  usage: `contextmd run [--report FILE] [--state DIR] [--port PORT] -- COMMAND [ARGUMENT…]

Starts a server, runs the command, and ends the server with it. Your stores and your setup count as always. The exit code is that of the
command, 128 and the signal's number if a signal ended it; signals are passed on to it.

      --report FILE   writes what was served and what became of it: FILE as JSON, and as a table beside it (.txt). Without it the table
                      is printed to stderr at the end
      --state DIR     keeps state and log there. Without it they are in a temporary folder, and deleted at the end
      --port PORT     default: the one that setup wrote into the hooks, if it is free, else any free one. The hooks of Claude Code
                      call a fixed port unless it was set up with --transport command; all others find the server by themselves

If the server can't be started, this is said, and the command runs without it.`,
  async run(argv, io) {
    const end = argv.indexOf('--')
    const words = end === -1 ? [] : argv.slice(end + 1)
    const options = { report: { type: 'string' }, state: { type: 'string' }, port: { type: 'string' } } as const
    const { values } = parseArgs({ args: end === -1 ? argv : argv.slice(0, end), options, allowPositionals: end === -1 })
    const [program, ...args] = words
    if (program === undefined) throw new CommandError('usage', 'run what? Put the command behind "--": contextmd run -- claude -p "…"')
    const wish = {
      report: values.report ?? null,
      state: values.state ?? null,
      port: values.port === undefined ? null : portFrom(values.port),
    }
    return await runWith([program, ...args], wish, io)
  },
}

interface Wish {
  readonly report: string | null
  readonly state: string | null
  readonly port: number | null
}

async function runWith(words: readonly [string, ...string[]], { report, state, port }: Wish, io: Io): Promise<number> {
  const own = pathsFrom(io.env)
  const folder = state === null ? mkdtempSync(join(tmpdir(), 'contextmd-run-')) : resolve(state)
  // What is the person's stays where it is: stores, trust, what setup wrote.
  const paths = { ...pathsFrom({ ...io.env, CONTEXTMD_DATA: folder }), trust: own.trust, hooks: own.hooks }
  try {
    const startedAt = Date.now()
    const server = await startOrTell({ paths, own, port, io })
    const code = await runChild(words, { ...io.env, CONTEXTMD_DATA: folder }, io)
    if (server === null) return code
    await server.engine.drain()
    const told = await server.engine.logbook.report(startedAt)
    await server.close()
    writeReport(told, report, io)
    return code
  } finally {
    if (state === null) rmSync(folder, { recursive: true, force: true })
  }
}

interface Start {
  readonly paths: Paths
  /** The person's own. */
  readonly own: Paths
  readonly port: number | null
  readonly io: Io
}

/** Null where it can't be started: the command is more important than the rules. */
async function startOrTell({ paths, own, port, io }: Start): Promise<RunningServer | null> {
  try {
    const start = await serverStarter({ paths, startedAs: 'command', io, tokens: eitherOf(paths, own), records: own })
    const wanted = port ?? setUpPort(own)
    const server = await (wanted === null || port === null ? startQuietly(start, wanted ?? 0) : start(port))
    for (const line of notes(own, portOf(server))) io.stderr.write(`contextmd: ${line}\n`)
    return server
  } catch (error) {
    if (error instanceof ServerError && error.code === 'running')
      throw new CommandError('failed', `${error.message}: leave "contextmd run" out, or name another --state`, { cause: error })
    if (port !== null && error instanceof ServerError) throw error
    io.stderr.write(`contextmd: the server could not be started, the command runs without it: ${String(error)}\n`)
    return null
  }
}

/** On another port without a word where the wanted one is in use: it is often the person's own server that has it. */
function startQuietly(start: (port: number) => Promise<RunningServer>, port: number): Promise<RunningServer> {
  return startOrElsewhere(start, port, { stderr: { write: () => {} } })
}

/** What keeps moments of the command from this server. */
function notes(own: Paths, port: number): readonly string[] {
  if (setUpAddresses(own).length === 0) return ['no harness is set up (contextmd setup): nothing will be served']
  return addressProblems(own, port).map(
    ({ message }) => `${message} Set it up with --transport command to have it find this server, or end the server that has its port.`,
  )
}

/** The hooks' tokens are the person's; the command line's own is made for this server alone. */
function eitherOf(paths: Paths, own: Paths): Tokens {
  const now = () => Date.now()
  const here = openTokens(paths.tokens, { now })
  const theirs = withHostToken(openTokens(own.tokens, { now }), own.data, now)
  return {
    ...here,
    check: (token, scope) => {
      const verdict = here.check(token, scope)
      return verdict === 'unknown' ? theirs.check(token, scope) : verdict
    },
    problems: () => theirs.problems(),
  }
}

function portFrom(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new CommandError('usage', `--port takes a number from 0 to 65535, not "${text}"`)
}
