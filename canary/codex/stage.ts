/**
 * What a row of Codex plays on: an empty home, a project, a store, our server, the hooks that our setup wrote, the scripted model, the real program.
 */
import { freePort, runContextMD, startContextMD, until } from '../contextmd.ts'
import type { ContextMD, LogRow } from '../contextmd.ts'
import { makePlace } from '../place.ts'
import type { Place } from '../place.ts'
import { must, RowFailure } from '../row.ts'
import { startModel } from './model.ts'
import type { Model, Script } from './model.ts'
import type { ModelRequest } from './request.ts'
import { openSession, prepareConfig, runExec } from './session.ts'
import type { ExecOptions, Result, Session, SessionOptions } from './session.ts'

/** Long, so that a busy machine never makes a hook time out by accident. */
const HOOK_TIMEOUT_S = '10'
/** Records are read in the background; the program writes its own within 0.2 s. */
const VERDICT_TIMEOUT_MS = 10_000

export interface StageOptions {
  readonly scope?: 'user' | 'project'
  /** Environment of setup: a hook timeout other than the canary's long one. */
  readonly setupEnv?: Readonly<Record<string, string>>
  readonly serverEnv?: Readonly<Record<string, string>>
  /** False for a row in which the server is started late or never. */
  readonly startServer?: boolean
}

export interface Played {
  /** The program's own id of the conversation. */
  readonly session: string
  /** Its own ids of the turns, one a prompt. */
  readonly turns: readonly string[]
  /** Lines that the person was shown besides the conversation. */
  readonly notices: readonly string[]
}

export interface Stage {
  readonly place: Place
  readonly model: Model
  /** Sets up the hooks, starts the server and sets the model's script. Entries may be written before or after. */
  begin(script: Script, options?: StageOptions): Promise<void>
  startServer(): Promise<void>
  server(): ContextMD
  open(options?: Partial<SessionOptions>): Session
  /** One prompt by `codex exec`. Gives the program's id of the conversation. */
  exec(prompt: string, options?: Partial<ExecOptions>): Promise<string>
  /** One session with these prompts, to its end. */
  play(prompts: readonly string[], options?: Partial<SessionOptions>): Promise<Played>
  /** Requests of the main agent, summaries left out. */
  main(): readonly ModelRequest[]
  /** Waits until the newest claim of the entry has one of these outcomes in the log; fails with the log when it has not. */
  verdict(entry: string, ...wanted: readonly string[]): Promise<void>
  /** All outcomes of the entry in the log, oldest first. */
  outcomes(entry: string): Promise<readonly string[]>
  /** Trouble of the scripted model. */
  problems(): readonly string[]
  /** What a person needs to find the cause of a failure: the log, what the server printed, trouble of the scripted model. */
  story(): Promise<string>
  close(): Promise<void>
}

export async function openStage(program: string, env: NodeJS.ProcessEnv): Promise<Stage> {
  const place = await makePlace(env)
  const model = await startModel()
  await prepareConfig(place, model.url)
  const port = await freePort()
  const sessions: Session[] = []
  let contextmd: ContextMD | null = null
  let serverEnv: Readonly<Record<string, string>> = {}

  const server = (): ContextMD => {
    if (contextmd === null) throw new RowFailure('the row asks a server that it did not start')
    return contextmd
  }
  const startServer = async (): Promise<void> => void (contextmd = await startContextMD(place, port, serverEnv))
  const open = (options: Partial<SessionOptions> = {}): Session => {
    const session = openSession(place, { program, ...options })
    sessions.push(session)
    return session
  }
  const outcomes = async (entry: string): Promise<readonly string[]> =>
    (await server().log()).flatMap((row) => row.candidates.filter((c) => c.entry === `rules/${entry}`).map((c) => c.outcome))

  return {
    place,
    model,
    server,
    startServer,
    open,
    outcomes,
    async begin(script, options = {}) {
      const setupEnv = {
        CODEX_HOME: place.harnessConfig,
        CONTEXTMD_CODEX: program,
        CONTEXTMD_HOOK_TIMEOUT: HOOK_TIMEOUT_S,
        ...options.setupEnv,
      }
      const printed = await runContextMD(
        place,
        ['setup', 'codex', '--yes', '--port', String(port), '--scope', options.scope ?? 'user'],
        setupEnv,
      )
      must(printed.includes('trust     given'), `setup should have had the hooks trusted: ${printed}`)
      serverEnv = options.serverEnv ?? {}
      if (options.startServer !== false) await startServer()
      model.script(script)
    },
    exec: (prompt, options = {}) => runExec(place, { program, ...options }, prompt),
    async play(prompts, options) {
      const session = open(options)
      const results: Result[] = []
      for (const prompt of prompts) results.push(await session.say(prompt))
      await session.end()
      return { session: session.id(), turns: results.map(({ turn }) => turn), notices: results.flatMap(({ notices }) => notices) }
    },
    main: () => model.requests().filter((request) => request.agent === null && !request.asksForSummary),
    async verdict(entry, ...wanted) {
      const isJudged = async (): Promise<boolean> => {
        const outcome = (await claimsOf(server(), entry)).at(-1)
        return outcome !== undefined && wanted.includes(outcome)
      }
      if (await until(isJudged, VERDICT_TIMEOUT_MS)) return
      throw new RowFailure(
        `${entry} should be judged ${wanted.join(' or ')}; its claims are: ${(await claimsOf(server(), entry)).join(', ') || 'none'}`,
      )
    },
    problems: () => model.problems(),
    async story() {
      const log = contextmd === null ? 'no server' : logText(await contextmd.log())
      return [...model.problems(), log, contextmd?.output().trim() ?? ''].filter((part) => part !== '').join('\n')
    },
    async close() {
      await Promise.all(sessions.map((session) => session.end()))
      await contextmd?.stop()
      await model.close()
      await place.remove()
    },
  }
}

/** Outcomes of the claims that carried text. A stub beside them has nothing to prove. */
async function claimsOf(server: ContextMD, entry: string): Promise<readonly string[]> {
  return (await server.log()).flatMap((row) =>
    row.candidates.filter((c) => c.entry === `rules/${entry}` && c.claim !== null && c.bytes > 0).map((c) => c.outcome),
  )
}

/** The log as a person would read it, for a row that failed. */
export function logText(rows: readonly LogRow[]): string {
  return rows
    .map((row) => {
      const candidates = row.candidates.map((c) => `${c.entry}=${c.outcome}${c.why === null ? '' : ` (${c.why})`}`)
      const gates = row.gates.map((gate) => `${gate.entry}:${gate.lift}`)
      return `  ${row.seq} e${row.epoch} w${row.wave} ${row.event} ${row.outcome}${row.why === null ? '' : ` (${row.why})`} ${[...candidates, ...gates].join(' ')}`
    })
    .join('\n')
}
