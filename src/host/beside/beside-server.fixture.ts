/** A real server beside the database files of hosts, all in one temporary home. The test plays the harness and the host. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { findMarks } from '../../core/mark.ts'
import { openEngine } from '../../engine/open.ts'
import { pathsFrom } from '../../paths.ts'
import { startServer, type RunningServer } from '../../server/start.ts'
import type { LoggedMoment } from '../../state.ts'
import { openTokens } from '../../state/tokens.ts'
import { temporaryBase } from '../t3code/world.fixture.ts'

interface HookOutput {
  readonly hookSpecificOutput?: { additionalContext?: string; permissionDecision?: string; permissionDecisionReason?: string }
}

export interface Answer {
  readonly status: number
  readonly texts: readonly string[]
  readonly text: string
  readonly decision: string | undefined
  readonly reason: string
}

export interface BesideOptions {
  readonly home?: string
  readonly rules?: Readonly<Record<string, string>>
  readonly serving?: object
  readonly env?: NodeJS.ProcessEnv
  readonly now?: () => number
}

/** Deadlines of the engine are this many times longer: a busy machine must not make a moment late. */
export const PATIENCE = '8'

export function envIn(home: string): Record<string, string> {
  return { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_DATA_HOME: join(home, 'data') }
}

export class BesideServer {
  readonly home: string
  readonly project: string
  readonly running: RunningServer
  readonly errors: unknown[]
  /** The environment of a command line that finds this server. */
  readonly env: NodeJS.ProcessEnv
  readonly #token: string
  #calls = 0

  constructor(home: string, running: RunningServer, token: string, errors: unknown[]) {
    this.home = home
    this.project = join(home, 'project')
    this.running = running
    this.#token = token
    this.errors = errors
    this.env = envIn(home)
  }

  /** `base` of hosts that are found by themselves. */
  static baseIn(home: string): string {
    return join(home, '.t3')
  }

  static async start(options: BesideOptions = {}): Promise<BesideServer> {
    const { home = temporaryBase(), rules = {}, serving, now = () => Date.now() } = options
    const env = { ...envIn(home), CONTEXTMD_TEST_PATIENCE: PATIENCE, ...options.env }
    const paths = pathsFrom(env)
    mkdirSync(join(home, 'project'), { recursive: true })
    mkdirSync(join(paths.config, 'rules'), { recursive: true })
    for (const [name, text] of Object.entries(rules)) writeFileSync(join(paths.config, 'rules', `${name}.md`), text)
    if (serving !== undefined) settings(home, serving)
    const tokens = openTokens(paths.tokens, { now })
    const { token } = tokens.issue({ name: 'hooks', scopes: ['orchestration:read', 'log:read'], days: 30 })
    const errors: unknown[] = []
    const running = await startServer({
      paths,
      port: 0,
      version: '0.0.0',
      now,
      tokens,
      report: (mishap) => errors.push(mishap),
      // far off: a busy machine must not make a test of something else fail
      deadlineMs: 60_000,
      openEngine: () => openEngine({ paths, version: '0.0.0', now, tokens, env, onError: (error) => errors.push(error) }),
    })
    onTestFinished(() => running.close())
    return new BesideServer(home, running, token, errors)
  }

  settings(serving: object): void {
    settings(this.home, serving)
  }

  async tell(session: string, event: string, more: object = {}, harness = 'claude-code'): Promise<Answer> {
    const body = { session_id: session, transcript_path: this.records(session), cwd: this.project, hook_event_name: event, ...more }
    const response = await this.post(JSON.stringify(body), harness)
    // the renderer's own answer
    const answer = response.status === 200 ? ((await response.json()) as HookOutput) : {}
    const output = answer.hookSpecificOutput ?? {}
    const reason = output.permissionDecisionReason ?? ''
    const text = output.additionalContext ?? ''
    return {
      status: response.status,
      text,
      texts: findMarks(`${text}\n${reason}`).map((mark) => mark.text ?? ''),
      decision: output.permissionDecision,
      reason,
    }
  }

  post(body: string | ReadableStream, harness = 'claude-code'): Promise<Response> {
    return fetch(`${this.running.address}/contextmd/v1/moment?harness=${harness}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    })
  }

  start(session: string): Promise<Answer> {
    return this.tell(session, 'SessionStart', { source: 'startup' })
  }

  /** Where the session's records are: there, and empty until a test writes them. */
  records(session: string): string {
    const folder = join(this.home, '.claude', 'projects', '-home-dev-project')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, `${session}.jsonl`)
    appendFileSync(file, '')
    return file
  }

  prompt(session: string, more: object = {}): Promise<Answer> {
    this.#calls += 1
    return this.tell(session, 'UserPromptSubmit', { prompt: 'go on', prompt_id: `p${this.#calls}`, ...more })
  }

  bash(session: string, command: string, call: string, more: object = {}): Promise<Answer> {
    return this.tell(session, 'PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: call, prompt_id: 'p', ...more })
  }

  batchEnd(session: string, ...calls: readonly string[]): Promise<Answer> {
    return this.tell(session, 'PostToolBatch', batchOf(...calls))
  }

  stop(session: string): Promise<Answer> {
    return this.tell(session, 'Stop', { stop_hook_active: false })
  }

  log(session?: string): readonly LoggedMoment[] {
    return this.running.engine.log({ limit: 1_000 }).filter((row) => session === undefined || row.session === session)
  }

  joinings(session: string): readonly string[] {
    return this.log(session).map(({ joining }) => joining)
  }

  problems(): readonly string[] {
    return this.running.engine.health().problems.map(({ code }) => code)
  }
}

/** The end of a wave with these calls. */
export function batchOf(...calls: readonly string[]): object {
  return { tool_calls: calls.map((id) => ({ tool_name: 'Bash', tool_input: {}, tool_use_id: id, tool_response: '' })), prompt_id: 'p' }
}

function settings(home: string, serving: object): void {
  const { serving: file } = pathsFrom(envIn(home))
  writeFileSync(file, JSON.stringify({ stores: [{ name: 'rules', folder: 'rules' }], ...serving }))
}
