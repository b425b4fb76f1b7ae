/**
 * Which port the server is at: the one that setup wrote, else the one that `server.json` names; and only once what listens there has
 * shown that it is ours, since a program of another user may have taken the port. The same rules as in `hooks/contextmd-hook.sh`.
 */
import { readFileSync, statSync } from 'node:fs'
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
  #proven: { readonly mark: string; readonly port: number } | null = null
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
    const mark = line === '' ? '' : this.#markOf(line)
    if (mark !== '' && this.#proven?.mark === mark) return this.#proven.port
    return (this.#asking ??= this.#ask(line, mark, ms).finally(() => (this.#asking = null)))
  }

  /**
   * Tells a server that has proven itself from every other one that may be there by now: the file with all that it says, written anew or not,
   * and the beginning of the process that it names, whose number another one may bear. Empty where it is being replaced just now.
   */
  #markOf(line: string): string {
    try {
      const { ino, mtimeMs, size } = statSync(this.#serverFile)
      return [line, ino, mtimeMs, size, bornOf(pidIn(line))].join(' ')
    } catch {
      return ''
    }
  }

  /** What `server.json` says of a process that lives; else empty. */
  line(): string {
    try {
      const line = readFileSync(this.#serverFile, 'utf8').trim()
      process.kill(pidIn(line), 0)
      return line
    } catch {
      return ''
    }
  }

  get #serverFile(): string {
    return join(this.#data, 'server.json')
  }

  async #ask(line: string, mark: string, ms: number): Promise<number | null> {
    const key = readKey(join(this.#data, 'server.key'))
    if (key === null) return null
    const other = Number(/"http:\/\/127\.0\.0\.1:(\d+)"/.exec(line)?.[1] ?? this.#port)
    for (const port of new Set([this.#port, other])) {
      if (!(await isOurs(port, key, ms))) continue
      this.#proven = { mark, port }
      return port
    }
    return null
  }
}

function pidIn(line: string): number {
  return Number(/"pid":(\d+)/.exec(line)?.[1])
}

/** When a process began, in ticks since the machine did (proc(5), field 22); empty where there is no /proc. */
function bornOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // the name of the program stands in brackets, and may hold anything
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
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
