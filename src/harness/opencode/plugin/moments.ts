/**
 * Posts what happened in a session, with what its hook does not say: whose subagent it is, which folder, which database.
 *
 * A moment that a hook waits for takes the limit at most, with everything that it has to wait for itself.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { Background } from './background.ts'
import { within } from './bounded.ts'
import type { Body, Server } from './server.ts'
import type { Sessions } from './sessions.ts'

export interface MomentOptions {
  readonly server: Server
  readonly sessions: Sessions
  readonly directory: string
  /** Milliseconds that a hook may take. */
  readonly limit: number
}

export interface Event {
  readonly hook: string
  readonly session: string
  readonly input: object
  readonly output?: object
  /** Further fields of the event. */
  readonly more?: object
}

export class Moments {
  readonly #options: MomentOptions
  readonly #background = new Background()

  constructor(options: MomentOptions) {
    this.#options = options
  }

  /** What to put in, or to throw; null for nothing, whatever the reason. `until`: end of the hook's time (`performance.now()`). */
  async ask(event: Event, until = this.end()): Promise<Body | null> {
    await within(this.#background.idle(event.session), left(until))
    const answered = await this.#post(event, until)
    return answered.ok ? answered.body : null
  }

  /** Tells without waiting; moments of the session that come later are told later. */
  tell(event: Event): void {
    this.#background.add(event.session, async () => void (await this.#post(event, this.end())))
  }

  /** As `tell`, for a verdict. */
  judge(session: string, delivery: string, verdict: string): void {
    this.#background.add(session, () => this.#options.server.evidence(delivery, verdict, this.#options.limit))
  }

  end(): number {
    return performance.now() + this.#options.limit
  }

  async #post({ hook, session, input, output = {}, more = {} }: Event, until: number) {
    const { server, sessions, directory } = this.#options
    const { agent, version } = await sessions.know(session, left(until))
    const parent = await sessions.rootOf(session, left(until))
    const event = { hook, version, directory, records: databaseIn(process.env), parent, agent, input, output, ...more }
    const isOff = isSwitchedOff(process.env)
    const answered = await server.moment(event, left(until), isOff)
    return isOff && answered.ok ? { ...answered, body: null } : answered
  }
}

export function left(until: number): number {
  return until - performance.now()
}

/** A person's wish in the environment of the agent. The server is told all the same, so that the log shows it. */
export function isSwitchedOff(env: NodeJS.ProcessEnv): boolean {
  return !/^(|0|no|false|off)$/i.test(env['CONTEXTMD_OFF'] ?? '')
}

/** The program's database, as the program itself finds it; null where it keeps none, or keeps it elsewhere. */
export function databaseIn(env: NodeJS.ProcessEnv): string | null {
  const folder = join(env['XDG_DATA_HOME'] || join(env['HOME'] || homedir(), '.local', 'share'), 'opencode')
  const named = env['OPENCODE_DB']
  if (named === ':memory:') return null
  const file = !named ? join(folder, 'opencode.db') : isAbsolute(named) ? named : join(folder, named)
  return existsSync(file) ? file : null
}
