/** The ContextMD server as the plugin sees it: posts with a deadline, over kept connections. Never throws. */
import { readFileSync } from 'node:fs'
import type { Address } from './address.ts'
import { beside, NO_PROXY } from './proxy.ts'

export interface ServerOptions {
  readonly address: Address
  /** Holds the header line with the token; private to its owner. Read anew for each post: setup may renew it. */
  readonly headerFile: string
}

type Cause = 'timed-out' | 'refused' | 'bad-answer' | 'starting'
export type Body = Readonly<Record<string, unknown>>

/** What the server answered, null for nothing to do; or why there is no answer. */
export type Answered =
  | { readonly ok: true; readonly body: Body | null }
  /** `isTold`: the server took what was told beside the event, but not the event. */
  | { readonly ok: false; readonly cause: Cause; readonly isTold?: boolean }

/** A server that looked at the token, and refused the event for what it is. */
const TOLD: ReadonlySet<number> = new Set([400, 413])

export class Server {
  readonly #options: ServerOptions
  /** Moments that passed without us and that the server was not told of yet (S8). */
  #missed: readonly Cause[] = []
  /** By the clock of `performance`: until then a server that was just started is waited for. */
  #startingUntil = -Infinity

  constructor(options: ServerOptions) {
    this.#options = options
  }

  /** A server is being started: what is refused meanwhile is no fault. */
  starts(): void {
    this.#startingUntil = performance.now() + STARTING_MS
    this.#missed = this.#missed.map((cause) => (cause === 'refused' ? 'starting' : cause))
  }

  /** `ms` bounds the whole call, from connecting to the last byte. */
  async moment(event: object, ms: number, isOff: boolean): Promise<Answered> {
    const missed = this.#missed
    const isStarting = performance.now() < this.#startingUntil
    this.#missed = []
    const headers = { ...(isOff ? { 'contextmd-off': '1' } : {}), ...(missed.length === 0 ? {} : { 'contextmd-missed': counted(missed) }) }
    const answered = await this.#post('moment?harness=opencode', event, ms, headers)
    if (!answered.ok) {
      const untold = answered.isTold === true ? [] : missed
      const cause = isStarting && answered.cause === 'refused' ? 'starting' : answered.cause
      this.#missed = [...untold, ...this.#missed, cause].slice(-MAX_MISSED)
    }
    return answered
  }

  async evidence(delivery: string, verdict: string, ms: number): Promise<void> {
    await this.#post('evidence', { delivery, verdict }, ms, {})
  }

  async #post(path: string, body: object, ms: number, headers: object): Promise<Answered> {
    if (ms <= 0) return { ok: false, cause: 'timed-out' }
    const until = performance.now() + ms
    try {
      const port = await this.#options.address.find(ms)
      if (port === null) return { ok: false, cause: performance.now() < until ? 'refused' : 'timed-out' }
      const calling = beside(NO_PROXY, () =>
        fetch(`http://127.0.0.1:${port}/contextmd/v1/${path}`, {
          method: 'POST',
          headers: { ...this.#authorization(), 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
          // whole milliseconds, or it throws
          signal: AbortSignal.timeout(Math.max(1, Math.ceil(until - performance.now()))),
          redirect: 'error',
        }),
      )
      const response = await calling
      if (response.status === 204) return { ok: true, body: null }
      if (response.status !== 200) return { ok: false, cause: 'bad-answer', isTold: TOLD.has(response.status) }
      const value: unknown = await response.json()
      return typeof value === 'object' && value !== null ? { ok: true, body: { ...value } } : { ok: false, cause: 'bad-answer' }
    } catch (error) {
      return { ok: false, cause: error instanceof Error && error.name === 'TimeoutError' ? 'timed-out' : 'refused' }
    }
  }

  #authorization(): Record<string, string> {
    const [, name = '', value = ''] = /^([\w-]+):\s*(\S.*)$/m.exec(readFileSync(this.#options.headerFile, 'utf8')) ?? []
    return { [name]: value.trim() }
  }
}

/** A server that is started answers after a second or two, on a busy machine later. */
const STARTING_MS = 10_000
/** More are not told one by one: a server that was down for a day is seen by other means. */
const MAX_MISSED = 1_000

/** As `timed-out=2 refused=1`. */
function counted(causes: readonly Cause[]): string {
  const counts = Map.groupBy(causes, (cause) => cause)
  return [...counts].map(([cause, all]) => `${cause}=${all.length}`).join(' ')
}
