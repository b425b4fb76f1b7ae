/**
 * What a row plays on: an empty home, a project, a store, our server, the hooks that our setup wrote, the scripted model, the real program.
 *
 * A harness gives its `Rig`: how its program is set up and driven, and how it words what the model sees. All else is the same for all.
 */
import type { Profile } from '../../src/core/profile.ts'
import { autostarted, endAutostarted, prepareAutostart } from '../autostarted.ts'
import { claimCounts, claimsOf, logText } from '../claims.ts'
import type { ClaimCounts } from '../claims.ts'
import { freePort, runContextMD, startContextMD, until } from '../contextmd.ts'
import type { ContextMD } from '../contextmd.ts'
import type { Place } from '../place.ts'
import { RowFailure } from '../row.ts'
import type { Model, Script } from './model.ts'
import type { Block, ModelReply } from './reply.ts'
import type { ModelRequest, ToolResult } from './request.ts'

/** Long, so that a busy machine never makes a hook time out by accident. */
export const LONG_TIMEOUT = { CONTEXTMD_HOOK_TIMEOUT: '10' }
/** Records are read in the background; every program writes its own within 0.2 s. */
const VERDICT_TIMEOUT_MS = 30_000

export interface Session {
  /** The program's own id of the conversation; known after the first prompt. */
  id(): string
  /** Waits until the turn is over. Throws when it is not in time, or the program gives an error. */
  say(prompt: string): Promise<void>
  /** Has the conversation compacted, and waits until it is. */
  compact(): Promise<void>
  /** Lines that the person was shown besides the conversation, of all prompts. */
  notices(): readonly string[]
  /** Has the program end, and waits for it. */
  end(): Promise<void>
}

/** Calls that every harness has a tool for. */
export interface Tools {
  readonly shell: (command: string) => Block
  /** Null where files are read in the shell only. */
  readonly read: ((path: string) => Block) | null
  readonly subagent: (task: string) => Block
  /** Waits for the subagents that the last reply started, where their call does not. */
  readonly awaited?: (request: ModelRequest) => ModelReply
}

/** How a program differs from others in what rows for all of them look at, besides what its profile tells. */
export interface Traits {
  /** The person is shown a line about each hold. */
  readonly tellsPerson: boolean
  /** Words of the program beside a denied call. */
  readonly deniedWords: string
  /** What the program puts in place of a text that is too long for it. */
  readonly spilled: string | null
  /** Hooks that timed out are counted in health. */
  readonly countsMissed: boolean
  /** A subagent is a session of its own, and its parent tells of its start beside its first moments: that may come later than they do. */
  readonly tellsSubagentLate: boolean
}

export interface Rig<Options, Own extends Session> {
  readonly profile: Profile
  readonly tools: Tools
  readonly traits: Traits
  /** A hook denied the call. */
  readonly isDenied: (result: ToolResult) => boolean
  /** The call ran and went well. */
  readonly isGood: (result: ToolResult) => boolean
  /** Environment of `contextmd setup`. */
  readonly setupEnv: Readonly<Record<string, string>>
  /** Arguments of `contextmd setup` where the row has none of its own. */
  readonly setupArgs?: readonly string[]
  /** Throws when setup did not print what it must. */
  readonly checkSetup?: (printed: string) => void
  /** A session that goes on with an earlier one, or with a copy of it. */
  readonly goOn: (way: 'resume' | 'fork', session: string) => Partial<Options>
  /** A session whose program has this in its environment. */
  readonly withEnv: (env: Readonly<Record<string, string>>) => Partial<Options>
  readonly open: (options: Partial<Options>) => Promise<Own>
  /** Ends what the rig itself started. */
  readonly close: () => Promise<void>
  /** What a program of the rig's own printed. */
  readonly output?: () => string
}

export interface StageOptions {
  /** Extra arguments of `contextmd setup`, in place of the rig's. */
  readonly setup?: readonly string[]
  /** Environment of setup: a hook timeout other than the canary's long one. */
  readonly setupEnv?: Readonly<Record<string, string>>
  readonly serverEnv?: Readonly<Record<string, string>>
  /** False for a row in which the server is started late or never. */
  readonly startServer?: boolean
  /** Set where the session itself has to start the server; `startServer` has no say then. */
  readonly autostart?: true
}

export interface Stage<Options = object, Own extends Session = Session> {
  readonly place: Place
  readonly model: Model
  readonly rig: Rig<Options, Own>
  /** Sets up the hooks, starts the server and sets the model's script. Entries may be written before or after. */
  begin(script: Script, options?: StageOptions): Promise<void>
  startServer(): Promise<void>
  /** Waits for the server that a session started. */
  autostarted(): Promise<ContextMD>
  server(): ContextMD
  open(options?: Partial<Options>): Promise<Own>
  /** One session with these prompts, to its end. */
  play(prompts: readonly string[], options?: Partial<Options>): Promise<Own>
  /** Requests of the main agent, summaries left out. */
  main(): readonly ModelRequest[]
  /** Requests of subagents, summaries left out. */
  subagents(): readonly ModelRequest[]
  /** Waits until the newest claim of the entry has one of these outcomes in the log; fails with the log when it has not. */
  verdict(entry: string, ...wanted: readonly string[]): Promise<void>
  /** All outcomes of the entry in the log, oldest first. */
  outcomes(entry: string): Promise<readonly string[]>
  /** What became of all claims of the row, once none is open any more or the time is over; at once where nothing proves them. */
  claims(areProvable: boolean): Promise<ClaimCounts>
  /** Trouble of the scripted model. */
  problems(): readonly string[]
  /** What a person needs to find the cause of a failure: the log, what the server printed, trouble of the scripted model. */
  story(): Promise<string>
  close(): Promise<void>
}

/** What is served at a session's start, at a prompt and at a subagent's start stands in the next request; else it comes with the first call. */
export function takesTextAtOnce({ rig }: Stage): boolean {
  return (rig.profile.seams['session-start']?.inject ?? null) !== null
}

export interface StageParts<Options, Own extends Session> {
  readonly place: Place
  readonly model: Model
  readonly rig: Rig<Options, Own>
}

export async function openStage<Options, Own extends Session>(parts: StageParts<Options, Own>): Promise<Stage<Options, Own>> {
  const { place, model, rig } = parts
  const port = await freePort()
  const sessions: Own[] = []
  let contextmd: ContextMD | null = null
  let serverEnv: Readonly<Record<string, string>> = {}
  let startsItself = false
  model.script(() => ({ blocks: [] }))

  const server = (): ContextMD => {
    if (contextmd === null) throw new RowFailure('the row asks a server that it did not start')
    return contextmd
  }
  const startServer = async (): Promise<void> => void (contextmd = await startContextMD(place, port, serverEnv))
  const open = async (options: Partial<Options> = {}): Promise<Own> => {
    const session = await rig.open(options)
    sessions.push(session)
    return session
  }

  return {
    place,
    model,
    rig,
    server,
    startServer,
    autostarted: async () => (contextmd = await autostarted(place)),
    open,
    async begin(script, options = {}) {
      const setupEnv = { ...rig.setupEnv, ...LONG_TIMEOUT, ...options.setupEnv }
      startsItself = options.autostart === true
      const start = startsItself ? '--autostart' : '--no-autostart'
      const args = ['setup', rig.profile.name, '--yes', start, '--port', String(port), ...(options.setup ?? rig.setupArgs ?? [])]
      const printed = await runContextMD(place, args, setupEnv)
      rig.checkSetup?.(printed)
      serverEnv = options.serverEnv ?? {}
      if (startsItself) await prepareAutostart(place)
      else if (options.startServer !== false) await startServer()
      model.script(script)
    },
    async play(prompts, options) {
      const session = await open(options)
      for (const prompt of prompts) await session.say(prompt)
      await session.end()
      return session
    },
    main: () => model.requests().filter(({ agent, asksFor }) => agent === null && asksFor === 'reply'),
    subagents: () => model.requests().filter(({ agent, asksFor }) => agent !== null && asksFor === 'reply'),
    async verdict(entry, ...wanted) {
      const newest = async (): Promise<string | undefined> => claimsOf(await server().log(), entry).at(-1)
      const isJudged = async (): Promise<boolean> => wanted.includes((await newest()) ?? '')
      if (await until(isJudged, VERDICT_TIMEOUT_MS)) return
      const told = claimsOf(await server().log(), entry).join(', ') || 'none'
      throw new RowFailure(`${entry} should be judged ${wanted.join(' or ')}; its claims are: ${told}`)
    },
    outcomes: async (entry) =>
      (await server().log()).flatMap((row) => row.candidates.filter((c) => c.entry === `rules/${entry}`).map((c) => c.outcome)),
    claims: (areProvable) => claimCounts(contextmd, areProvable),
    problems: () => model.problems(),
    async story() {
      const log = contextmd === null ? 'no server' : logText(await contextmd.log())
      const parts = [...model.problems(), log, contextmd?.output().trim() ?? '', rig.output?.().trim() ?? '']
      return parts.filter((part) => part !== '').join('\n')
    },
    async close() {
      // each of them whatever becomes of the others: nothing of a row may stay
      await Promise.allSettled(sessions.map((session) => session.end()))
      await rig.close().catch(() => {})
      await (contextmd === null && startsItself ? endAutostarted(place) : contextmd?.stop())
      await place.remove()
    },
  }
}
