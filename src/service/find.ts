/** Finds the running server of a data folder, and makes sure that it is ours before anything is sent to it. */
import { request } from 'node:http'
import type { Paths } from '../paths.ts'
import { newNonce, PROCESS_HEADER, PROOF_PATH, proofOf, readKey } from '../proof.ts'
import { isAlive, readServerFile, type ServerFile } from '../server/server-file.ts'

/** A proof takes a millisecond; what is silent this long hangs, or is no server of ours. */
const PROOF_TIMEOUT_MS = 2_000
/** Where a person or a job in the background waits for the answer: also a machine that is very busy has given it by then. */
export const PATIENT_PROOF_MS = 10_000
const PROOF_CHARS = 64

export type Found =
  /** No server is named, or the process that is named is gone. */
  | { readonly state: 'none' }
  /** What listens there can't show that it is ours: a stranger, or one that hangs. Nothing must be sent to it. */
  | { readonly state: 'unproven'; readonly file: ServerFile }
  | { readonly state: 'ours'; readonly file: ServerFile }

export async function findServer(paths: Pick<Paths, 'server' | 'key'>, timeoutMs = PROOF_TIMEOUT_MS): Promise<Found> {
  const file = readServerFile(paths.server)
  // A server that was killed leaves its file.
  if (file === null || !isAlive(file.pid)) return { state: 'none' }
  const key = readKey(paths.key)
  const proof = key === null ? null : await proofAt(portOf(file), key, timeoutMs)
  if (proof === null) return { state: 'unproven', file }
  // a file that was changed by hand, or that a killed server left, may name any process: the server itself says which one may be ended
  return { state: 'ours', file: proof.pid === null ? { ...file, startedAs: 'host' } : { ...file, pid: proof.pid } }
}

export function portOf({ address }: Pick<ServerFile, 'address'>): number {
  return Number(new URL(address).port)
}

/** Asks what listens on the port for its proof. False for anything but the right one in time, and once `ending` says so. */
export async function isOurs(port: number, key: string, timeoutMs = PROOF_TIMEOUT_MS, ending?: AbortSignal): Promise<boolean> {
  return (await proofAt(port, key, timeoutMs, ending)) !== null
}

interface Proof {
  /** Of the process that answered, if it is ours to end. */
  readonly pid: number | null
}

/** Null for anything but the right one in time. */
function proofAt(port: number, key: string, timeoutMs: number, ending?: AbortSignal): Promise<Proof | null> {
  const nonce = newNonce()
  return new Promise((resolve) => {
    // No agent of the process is used: it might send loopback calls through a proxy.
    const call = { host: '127.0.0.1', port, path: `${PROOF_PATH}?nonce=${nonce}`, agent: false, ...(ending && { signal: ending }) } as const
    const asking = request(call, (response) => {
      const pid = Number(response.headers[PROCESS_HEADER])
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (text.length > PROOF_CHARS) asking.destroy()
      })
      response.on('end', () => resolve(text === proofOf(nonce, port, key) ? { pid: Number.isInteger(pid) && pid > 0 ? pid : null } : null))
      response.on('error', () => resolve(null))
    })
    const timer = setTimeout(() => asking.destroy(), timeoutMs)
    asking.on('error', () => resolve(null))
    asking.on('close', () => {
      clearTimeout(timer)
      resolve(null)
    })
    asking.end()
  })
}
