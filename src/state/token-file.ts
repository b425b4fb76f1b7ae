/**
 * The tokens file: what is known of each token, never the token itself.
 *
 * The command line and the server are different processes. A write takes a lock, reads the file anew and puts a whole new file
 * in its place, so that a reader sees the old one or the new one.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { takeLock } from './sqlite/lock.ts'
import { StateError } from '../state.ts'

/** How long a write waits for another one; a write takes some milliseconds. */
const WRITE_LOCK_WAIT_MS = 2_000

const STORED = z.object({
  id: z.string(),
  name: z.string(),
  /** Plain strings: a scope of a later version says nothing to this one, and does no harm. */
  scopes: z.array(z.string()),
  /** SHA-256 of the token, in hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  issuedAt: z.number(),
  expiresAt: z.number(),
  revokedAt: z.number().nullable(),
})
const FILE = z.object({ version: z.literal(1), tokens: z.array(STORED) })

export type StoredToken = Readonly<z.infer<typeof STORED>>

export type TokenFile =
  | { readonly state: 'read'; readonly tokens: readonly StoredToken[] }
  /** `why` goes into a message: what is wrong with the file. */
  | { readonly state: 'broken'; readonly why: string }

/** `broken`: the file can't be understood, nothing was changed; `unwritable`; `busy`: another process writes to it. */
export class TokensError extends Error {
  override readonly name = 'TokensError'
  readonly code: 'broken' | 'unwritable' | 'busy'
  constructor(code: TokensError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Tells one state of the file from another. Null: there is none; a text: the system's code for why it can't be looked at. */
export type TokenFileStamp = Pick<Stats, 'dev' | 'ino' | 'size' | 'ctimeMs'> | string | null

/** Never throws. */
export function stampOf(file: string): TokenFileStamp {
  try {
    return statSync(file, { throwIfNoEntry: false }) ?? null
  } catch (thrown) {
    return codeOf(thrown)
  }
}

/** False whenever the file changed, its rights included. */
export function sameStamp(one: TokenFileStamp, other: TokenFileStamp): boolean {
  if (one === null || other === null || typeof one === 'string' || typeof other === 'string') return one === other
  // the time as a fraction of milliseconds tells a quarter of a microsecond, and the file is replaced at each change
  return one.ctimeMs === other.ctimeMs && one.ino === other.ino && one.size === other.size && one.dev === other.dev
}

/** A missing file holds no tokens. Never throws. */
export function readTokenFile(file: string): TokenFile {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (thrown) {
    const code = codeOf(thrown)
    return code === 'ENOENT' ? { state: 'read', tokens: [] } : { state: 'broken', why: `it can't be read (${code})` }
  }
  const parsed = FILE.safeParse(jsonOf(text))
  if (parsed.success) return { state: 'read', tokens: parsed.data.tokens }
  const where = parsed.error.issues[0]?.path.join('.') ?? ''
  return { state: 'broken', why: where === '' ? 'it is no tokens file' : `what stands at ${where} is not what belongs there` }
}

/** Changes the file as one step. Throws a `TokensError`; then the file is as it was. */
export function changeTokenFile(file: string, change: (tokens: readonly StoredToken[]) => readonly StoredToken[]): void {
  try {
    const lock = takeLock(`${file}.lock`, WRITE_LOCK_WAIT_MS)
    try {
      const before = readTokenFile(file)
      if (before.state === 'broken') {
        throw new TokensError('broken', `The tokens file ${file} is broken: ${before.why}. Move it away and issue the tokens anew.`)
      }
      replaceFile(file, `${JSON.stringify({ version: 1, tokens: change(before.tokens) }, null, 2)}\n`)
    } finally {
      lock.release()
    }
  } catch (thrown) {
    throw asTokensError(thrown, file)
  }
}

function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // one name will do: only the holder of the lock writes it
  const next = `${file}.next`
  try {
    rmSync(next, { force: true })
    writeFileSync(next, text, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(next, file)
  } catch (thrown) {
    rmSync(next, { force: true })
    throw thrown
  }
  const folder = openSync(dirname(file), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function asTokensError(thrown: unknown, file: string): unknown {
  if (thrown instanceof TokensError) return thrown
  if (thrown instanceof StateError && thrown.code === 'taken') {
    return new TokensError('busy', `Another process writes to the tokens file ${file}. Try again.`, { cause: thrown })
  }
  if (!(thrown instanceof StateError) && codeOf(thrown) === 'unknown') return thrown
  const cure = 'Give your user the right to write it and its folder, and see that the disk has room.'
  return new TokensError('unwritable', `The tokens file ${file} can't be written. ${cure}`, { cause: thrown })
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : 'unknown'
}

/** Undefined, which fits no schema, if it is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
