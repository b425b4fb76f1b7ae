/**
 * Which port the server is at: the one that setup wrote, else the one that `server.json` names; and only once what listens there has
 * shown that it is ours, since a program of another user may have taken the port. The same rules as in `hooks/contextmd-hook.sh`.
 */
import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { newNonce, PROOF_PATH, proofOf, readKey } from '../../../proof.ts'
import { beside, NO_PROXY } from './proxy.ts'

/** A proof has 64 characters. */
const PROOF_LENGTH = '64'

export interface AddressOptions {
  readonly port: number
  /** Folder of the plugin and its token, in the data folder. */
  readonly hooksFolder: string
  readonly env: NodeJS.ProcessEnv
}

export class Address {
  readonly #port: number
  /** Folder of `server.json`: not that of the plugin under `contextmd run`. */
  readonly #data: string
  /** True if the server of this person is looked for, whom the plugin may start. */
  readonly isOwn: boolean
  #proven: { readonly line: string; readonly port: number } | null = null
  #asking: Promise<number | null> | null = null

  constructor({ port, hooksFolder, env }: AddressOptions) {
    const own = dirname(hooksFolder)
    const named = env['CONTEXTMD_DATA'] ?? ''
    this.#port = port
    this.#data = isAbsolute(named) ? named : own
    this.isOwn = this.#data === own
  }

  /** Null where no server of ours answers in time. Asks again only when another server may be there. */
  async find(ms: number): Promise<number | null> {
    const line = this.line()
    if (line !== '' && this.#proven?.line === line) return this.#proven.port
    return (this.#asking ??= this.#ask(line, ms).finally(() => (this.#asking = null)))
  }

  /** What `server.json` says of a process that lives; else empty. */
  line(): string {
    try {
      const line = readFileSync(join(this.#data, 'server.json'), 'utf8').trim()
      process.kill(Number(/"pid":(\d+)/.exec(line)?.[1]), 0)
      return line
    } catch {
      return ''
    }
  }

  async #ask(line: string, ms: number): Promise<number | null> {
    const key = readKey(join(this.#data, 'server.key'))
    if (key === null) return null
    const other = Number(/"http:\/\/127\.0\.0\.1:(\d+)"/.exec(line)?.[1] ?? this.#port)
    for (const port of new Set([this.#port, other])) {
      if (!(await isOurs(port, key, ms))) continue
      this.#proven = { line, port }
      return port
    }
    return null
  }
}

async function isOurs(port: number, key: string, ms: number): Promise<boolean> {
  const nonce = newNonce()
  try {
    const calling = beside(NO_PROXY, () =>
      fetch(`http://127.0.0.1:${port}${PROOF_PATH}?nonce=${nonce}`, {
        signal: AbortSignal.timeout(Math.max(1, Math.ceil(ms))),
        redirect: 'error',
      }),
    )
    const response = await calling
    // a stranger may send without end
    if (response.status !== 200 || response.headers.get('content-length') !== PROOF_LENGTH) return false
    return (await response.text()) === proofOf(nonce, port, key)
  } catch {
    return false
  }
}
