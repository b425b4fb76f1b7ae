/**
 * How a client knows that the server on a port is ours before it sends a token or an event there.
 *
 * The server keeps a secret in a file that only its user can read. A client asks with a nonce; the answer is a hash over the nonce, the
 * port that was asked, and the secret. Any program may have taken the port while no server ran, but none of another user can answer. The
 * port is in it so that nobody can pass on the question to the real server on another port.
 *
 * The hash is one that a shell can make with the tools that are everywhere, hence SHA-256 with the secret last: nothing can be appended
 * to it, and two texts of one hash are not to be had.
 */
import { createHash, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

export const PROOF_PATH = '/contextmd/v1/proof'
/** Header of the answer: the process that gave it, if a command may end that. It ends no other one, whatever `server.json` says. */
export const PROCESS_HEADER = 'contextmd-process'
/** Of the secret and of a nonce. */
const RANDOM_BYTES = 32
/** As it is made here; hooks read it as it stands in the file. */
const KEY = /^[0-9a-f]{64}$/
/** Hexadecimal, or the form of the kernel's own random ids, which a shell reads without starting a program. */
const NONCE = /^[0-9a-f-]{32,64}$/

export function isNonce(text: string): boolean {
  return NONCE.test(text)
}

export function newNonce(): string {
  return randomBytes(RANDOM_BYTES).toString('hex')
}

/** 64 hexadecimal digits. */
export function proofOf(nonce: string, port: number, key: string): string {
  return createHash('sha256').update(`${nonce}:${port}:${key}\n`).digest('hex')
}

/** Null where there is none, or none that can be read. What is no key, such as an empty one, is none. */
export function readKey(file: string): string | null {
  try {
    const key = readFileSync(file, 'utf8').trim()
    return KEY.test(key) ? key : null
  } catch {
    return null
  }
}

/** The key in the file, made if there is none; in a folder that is there. Throws what the file system throws. */
export function ensureKey(file: string): string {
  const present = readKey(file)
  if (present !== null) return present
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${randomBytes(RANDOM_BYTES).toString('hex')}\n`, { mode: 0o600 })
  try {
    // of two that make one at once, both use the first
    linkSync(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    // one that is empty, as a full disk leaves it, or was cut or changed by hand, proves nothing to anybody
    if (readKey(file) === null) renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(file, 'utf8').trim()
}
