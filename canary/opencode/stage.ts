/**
 * What a row of OpenCode plays on: a project, a store, our server, the plugin that our setup put into the project, the scripted model,
 * the real program. One warm program and one model serve all rows; each row has a folder of its own, and so a plugin of its own.
 */
import { rmSync } from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, runContextMD, startContextMD, until } from '../contextmd.ts'
import type { ContextMD, LogRow } from '../contextmd.ts'
import { makePlace } from '../place.ts'
import type { Place } from '../place.ts'
import { RowFailure } from '../row.ts'
import { startModel } from './model.ts'
import type { Model, Script } from './model.ts'
import { prepareHome, startProgram } from './program.ts'
import type { Program, ProgramOptions } from './program.ts'
import type { ModelRequest } from './request.ts'
import { openSession, request } from './session.ts'
import type { Session, SessionOptions } from './session.ts'

/** Long, so that a busy machine never makes a hook time out by accident. */
const HOOK_TIMEOUT_S = '10'
/** Verdicts come with the next answer, or from the database in the background. */
const VERDICT_TIMEOUT_MS = 10_000

export interface StageOptions {
  /** Arguments of `contextmd setup opencode` in place of `--scope project`. */
  readonly setup?: readonly string[]
  /** Environment of setup: a hook timeout other than the canary's long one. */
  readonly setupEnv?: Readonly<Record<string, string>>
  readonly serverEnv?: Readonly<Record<string, string>>
  /** False for a row in which the server is started late or never. */
  readonly startServer?: boolean
}

export interface Stage {
  readonly place: Place
  readonly model: Model
  /** Path of the program, for a row that starts it by itself. */
  readonly binary: string
  /** Sets up the plugin, starts the server and sets the model's script. Entries may be written before or after. */
  begin(script: Script, options?: StageOptions): Promise<void>
  startServer(): Promise<void>
  server(): ContextMD
  /** A program of the row's own, in the row's home, instead of the warm one. Later calls stop the one before. */
  restart(options?: Partial<ProgramOptions>): Promise<Program>
  program(): Program
  open(options?: SessionOptions): Promise<Session>
  /** One session with these prompts. */
  play(prompts: readonly string[], options?: SessionOptions): Promise<Session>
  /** Requests of the main agent, summaries left out. */
  main(): readonly ModelRequest[]
  /** Waits until the newest claim of the entry has one of these outcomes in the log; fails with the log when it has not. */
  verdict(entry: string, ...wanted: readonly string[]): Promise<void>
  /** All outcomes of the entry in the log, oldest first. */
  outcomes(entry: string): Promise<readonly string[]>
  problems(): readonly string[]
  story(): Promise<string>
  close(): Promise<void>
}

interface Warm {
  readonly model: Model
  readonly program: Program
}

let warm: Promise<Warm> | null = null

async function startWarm(binary: string, env: NodeJS.ProcessEnv): Promise<Warm> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'contextmd-canary-opencode-')))
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  const model = await startModel()
  await prepareHome({ home, modelUrl: model.url })
  const program = await startProgram({ program: binary, home, modelUrl: model.url, path: env['PATH'] ?? '' })
  return { model, program }
}

export async function openStage(binary: string, env: NodeJS.ProcessEnv): Promise<Stage> {
  const { model, program: shared } = await (warm ??= startWarm(binary, env))
  const place = await makePlace(env)
  const port = await freePort()
  let own: Program | null = null
  let contextmd: ContextMD | null = null
  let serverEnv: Readonly<Record<string, string>> = {}

  const server = (): ContextMD => {
    if (contextmd === null) throw new RowFailure('the row asks a server that it did not start')
    return contextmd
  }
  const startServer = async (): Promise<void> => void (contextmd = await startContextMD(place, port, serverEnv))
  const program = (): Program => own ?? shared
  const open = (options?: SessionOptions): Promise<Session> => openSession(program(), place.project, options)
  const outcomes = async (entry: string): Promise<readonly string[]> =>
    (await server().log()).flatMap((row) => row.candidates.filter((c) => c.entry === `rules/${entry}`).map((c) => c.outcome))
  model.script(() => ({ blocks: [] }))

  return {
    place,
    model,
    binary,
    server,
    startServer,
    program,
    open,
    outcomes,
    async begin(script, options = {}) {
      const setup = options.setup ?? ['--scope', 'project']
      await runContextMD(place, ['setup', 'opencode', '--yes', '--port', String(port), ...setup], {
        CONTEXTMD_HOOK_TIMEOUT: HOOK_TIMEOUT_S,
        ...options.setupEnv,
      })
      serverEnv = options.serverEnv ?? {}
      if (options.startServer !== false) await startServer()
      model.script(script)
    },
    async restart(options = {}) {
      await own?.stop()
      const all = { program: binary, home: place.home, modelUrl: model.url, path: env['PATH'] ?? '', ...options }
      if (own === null) await prepareHome(all)
      own = await startProgram(all)
      return own
    },
    async play(prompts, options) {
      const session = await open(options)
      for (const prompt of prompts) await session.say(prompt)
      return session
    },
    main: () => model.requests().filter((one) => one.agent === null && one.purpose === 'turn'),
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
      return [...model.problems(), log, contextmd?.output().trim() ?? '', own?.output().trim() ?? '']
        .filter((part) => part !== '')
        .join('\n')
    },
    async close() {
      // forgets the row's folder, with its plugin
      if (own === null) await request(shared, place.project, 'POST', '/instance/dispose').catch(() => {})
      await own?.stop()
      await contextmd?.stop()
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
function logText(rows: readonly LogRow[]): string {
  return rows
    .map((row) => {
      const candidates = row.candidates.map((c) => `${c.entry}=${c.outcome}${c.why === null ? '' : ` (${c.why})`}`)
      const gates = row.gates.map((gate) => `${gate.entry}:${gate.lift}`)
      return `  ${row.seq} e${row.epoch} w${row.wave} ${row.event} ${row.outcome}${row.why === null ? '' : ` (${row.why})`} ${[...candidates, ...gates].join(' ')}`
    })
    .join('\n')
}
