/**
 * The real server as a process of its own, on a home of its own, as a harness and a person meet it: over HTTP, with real tokens. It is
 * started, killed and stopped as a test wishes; the state is looked through when nobody serves it.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Problem } from '../../src/core/problem.ts'
import { pathsFrom, type Paths } from '../../src/paths.ts'
import { openSqliteState } from '../../src/state/sqlite/state.ts'
import { openTokens, type Scope } from '../../src/state/tokens.ts'
import { budgetMistakes } from './budgets.fixture.ts'

const LAUNCHER = fileURLToPath(new URL('../../bin/contextmd.js', import.meta.url))
/** Of Node, for all starts of all runs: halves the time of a start. */
const COMPILE_CACHE = join(tmpdir(), 'contextmd-compile-cache')
export const MOMENT = '/contextmd/v1/moment?harness=claude-code'
/** A server that has not said its address by then does not start. */
const START_TIMEOUT_MS = 60_000
/** Hooks give up after this: an answer that takes longer in the server is a call that passed unseen. */
export const HOOK_GIVES_UP_MS = 1_000

const HealthAnswer = z.object({
  state: z.string(),
  problems: z.array(
    z.object({ code: z.string(), severity: z.string(), message: z.string(), cure: z.string(), file: z.string().optional() }),
  ),
  counters: z.record(z.string(), z.number()),
})
export type HealthAnswer = z.infer<typeof HealthAnswer>

const LogAnswer = z.object({
  moments: z.array(
    z.object({
      number: z.number(),
      delivery: z.string(),
      context: z.string(),
      outcome: z.string(),
      bytes: z.number(),
      ms: z.object({ total: z.number() }),
      candidates: z.array(z.object({ entry: z.string(), outcome: z.string(), atMoment: z.string(), bytes: z.number() })),
      gates: z.array(z.object({ entry: z.string(), lift: z.string() })),
    }),
  ),
})
export type LogRow = z.infer<typeof LogAnswer>['moments'][number]

const HookOutput = z.object({
  hookSpecificOutput: z.object({
    additionalContext: z.string().optional(),
    permissionDecision: z.string().optional(),
    permissionDecisionReason: z.string().optional(),
  }),
})

export interface Answer {
  readonly status: number
  readonly decision: string | undefined
  readonly text: string
}

export interface StartOptions {
  /** A program, with arguments, that runs the server: `setpriv …`. */
  readonly before?: readonly string[]
}

export class Served {
  readonly home: string
  readonly project: string
  readonly env: Readonly<Record<string, string>>
  readonly paths: Paths
  readonly rules: string
  token: string
  ownToken: string
  /** What all servers of this home said on their outputs. */
  said = ''
  #child: ChildProcess | null = null
  #gone: Promise<unknown> = Promise.resolve()
  #agent = new Agent({ keepAlive: true, maxSockets: 64 })
  #port = 0

  /** `beside`: another one, whose home it shares. */
  constructor(entries: Readonly<Record<string, string>> = {}, beside: Served | null = null) {
    this.home = beside?.home ?? realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-faults-')))
    this.project = join(this.home, 'project')
    this.env = { PATH: process.env['PATH'] ?? '', HOME: this.home, NODE_COMPILE_CACHE: COMPILE_CACHE }
    this.paths = pathsFrom(this.env)
    this.rules = join(this.paths.config, 'rules')
    for (const folder of [this.project, this.rules]) mkdirSync(folder, { recursive: true })
    mkdirSync(this.paths.data, { recursive: true, mode: 0o700 })
    for (const [name, text] of Object.entries(entries)) writeFileSync(join(this.rules, `${name}.md`), text)
    this.token = beside?.token ?? this.issue('hooks', ['orchestration:read'])
    this.ownToken = beside?.ownToken ?? this.issue('command line', ['log:read', 'control'])
    writeFileSync(this.paths.ownToken, `${this.ownToken}\n`, { mode: 0o600 })
  }

  /** A new token, as setup and the server make them. */
  issue(name: string, scopes: readonly Scope[]): string {
    return openTokens(this.paths.tokens, { now: () => Date.now() }).issue({ name, scopes, days: 30 }).token
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get port(): number {
    return this.#port
  }

  /** Runs `contextmd serve`. Resolves to null when it serves, to its exit code when it says that another one serves already. */
  async start({ before = [] }: StartOptions = {}): Promise<number | null> {
    const [program = process.execPath, ...args] = [...before, process.execPath, LAUNCHER, 'serve', '--port', '0']
    const child = spawn(program, args, { env: this.env, cwd: this.home, stdio: ['ignore', 'pipe', 'pipe'] })
    const gone = once(child, 'close')
    let own = ''
    const keep = (text: string): void => {
      own += text
      this.said += text
    }
    child.stderr.setEncoding('utf8').on('data', keep)
    child.stdout.setEncoding('utf8').on('data', keep)
    const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
    const port = await new Promise<number | null>((resolve) => {
      child.stdout.on('data', () => {
        const found = /serves at http:\/\/127\.0\.0\.1:(\d+)/.exec(own)?.[1]
        if (found !== undefined) resolve(Number(found))
      })
      void gone.then(() => resolve(null))
    })
    clearTimeout(timer)
    if (port === null && own.includes('already running')) return child.exitCode
    if (port === null) throw new Error(`contextmd serve did not start: ${own}`)
    this.#child = child
    this.#gone = gone
    this.#port = port
    this.#agent.destroy()
    this.#agent = new Agent({ keepAlive: true, maxSockets: 64 })
    return null
  }

  /** Posts an event. Null where the connection broke before a whole answer came. */
  async post(event: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer | null> {
    const found = await this.ask('POST', MOMENT, { authorization: `Bearer ${this.token}`, ...headers }, JSON.stringify(event))
    if (found === null) return null
    const output = found.body === '' || found.status !== 200 ? null : HookOutput.parse(JSON.parse(found.body)).hookSpecificOutput
    return { status: found.status, decision: output?.permissionDecision, text: output?.additionalContext ?? '' }
  }

  async health(): Promise<HealthAnswer> {
    return HealthAnswer.parse(await this.read('/health'))
  }

  /** Rows from a number on. What nobody settled in time is released first, as at any look at the log. */
  async log(after = 0): Promise<readonly LogRow[]> {
    const rows: LogRow[] = []
    for (;;) {
      const { moments } = LogAnswer.parse(await this.read(`/log?limit=1000&after=${rows.at(-1)?.number ?? after}`))
      rows.push(...moments)
      if (moments.length < 1_000) return rows
    }
  }

  async read(path: string): Promise<unknown> {
    const found = await this.ask('GET', `/contextmd/v1${path}`, { authorization: `Bearer ${this.ownToken}` }, '')
    if (found?.status !== 200) throw new Error(`${path} was answered with ${found?.status}: ${found?.body}`)
    return JSON.parse(found.body)
  }

  ask(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<{ readonly status: number; readonly body: string } | null> {
    return new Promise((resolve) => {
      const asked = request({ host: '127.0.0.1', port: this.#port, method, path, headers, agent: this.#agent }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('error', () => resolve(null))
        response.on('end', () => resolve(response.complete ? { status: response.statusCode ?? 0, body: text } : null))
      })
      asked.on('error', () => resolve(null))
      asked.end(body)
    })
  }

  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#gone
    this.#child = null
  }

  /** Ends it as a person does. Gives the exit code. */
  async stop(): Promise<number | null> {
    const child = this.#child
    child?.kill('SIGTERM')
    await this.#gone
    this.#child = null
    return child?.exitCode ?? null
  }

  /** Files as the server sees them, in a mount namespace of its own too (Linux). */
  inItsView(path: string): string {
    return join('/proc', String(this.pid), 'root', path)
  }

  /** A copy of its data folder at one instant, without ending it. */
  copyData(to: string): void {
    this.#child?.kill('SIGSTOP')
    cpSync(this.inItsView(this.paths.data), to, { recursive: true })
    this.#child?.kill('SIGCONT')
  }

  /** What is inconsistent in the state, with budgets that are not what was handed over. Nobody may be serving it. */
  check(file = this.paths.state): readonly Problem[] {
    const state = openSqliteState({ file, lockFile: `${file}.lock-of-test`, now: () => Date.now() })
    try {
      return [...state.check(), ...budgetMistakes(state)]
    } finally {
      state.close()
    }
  }

  async end(): Promise<void> {
    await this.kill()
    this.#agent.destroy()
    rmSync(this.home, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Asks until it is so, without a clock of its own: each question takes its time in the server. */
export async function until<T>(ask: () => Promise<T>, isSo: (found: T) => boolean): Promise<T> {
  for (;;) {
    const found = await ask()
    if (isSo(found)) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
