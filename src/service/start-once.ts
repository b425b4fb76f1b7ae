/**
 * Starts the server in the background, once: detached, with a clean environment, however many ask at the same time.
 *
 * A lock that the kernel frees makes one of them do it; the state's own lock would end a second server too, but not before it had
 * loaded. A server of an older version is asked to end, and this one takes its place; but for one inside a host, which is left alone.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, openSync, closeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Paths } from '../paths.ts'
import type { ServerFile } from '../server/server-file.ts'
import { StateError } from '../state.ts'
import { takeLock, type Lock } from '../state/sqlite/lock.ts'
import { findServer, PATIENT_PROOF_MS } from './find.ts'
import { isNewer } from './newer.ts'
import { stopServer } from './stop.ts'

/** A start takes half a second, on a busy machine many; the caller is in the background itself. */
const START_TIMEOUT_MS = 60_000
const LOOK_EVERY_MS = 50

export interface StartOnce {
  readonly paths: Paths
  /** Of the server that would be started. */
  readonly version: string
  /** Program and arguments that serve in the background. */
  readonly command: readonly [string, ...string[]]
  /** The whole environment of the server. */
  readonly env: Readonly<Record<string, string>>
  /** Has the service manager start it, where it is in its hands; false if it is not. */
  readonly wake?: () => boolean
  /** False if the service manager would start the older version anew, should that one end. */
  readonly isServiceOurs?: () => boolean
}

export type Started =
  /** It ran already, and is not older. */
  | { readonly state: 'running'; readonly file: ServerFile }
  /** An older one runs, and the service manager would only start it again: its file names another package. */
  | { readonly state: 'outdated'; readonly file: ServerFile }
  /** Another one is starting it at this moment. */
  | { readonly state: 'starting' }
  /** `replaced`: the older version that had to end. */
  | { readonly state: 'started'; readonly file: ServerFile; readonly replaced: string | null }
  | { readonly state: 'failed'; readonly why: string }

/** Resolves when the server answers, or does not come. Throws a `StateError` where the data folder can't be written. */
export async function startOnce(options: StartOnce): Promise<Started> {
  const { paths } = options
  mkdirSync(paths.data, { recursive: true, mode: 0o700 })
  const lock = tryLock(join(paths.data, 'start.lock'))
  if (lock === null) return { state: 'starting' }
  try {
    const found = await findServer(paths, PATIENT_PROOF_MS)
    if (found.state !== 'ours') return await launch(options, null)
    const { file } = found
    if (file.startedAs === 'host') return { state: 'running', file }
    if (!isNewer(options.version, file.version) || file.startedAs === 'command') return { state: 'running', file }
    if (file.startedAs === 'service' && options.isServiceOurs?.() === false) return { state: 'outdated', file }
    if (await stopServer(paths, file)) return await launch(options, file.version)
    return { state: 'failed', why: `the server of version ${file.version} (process ${file.pid}) does not end` }
  } finally {
    lock.release()
  }
}

function tryLock(file: string): Lock | null {
  try {
    return takeLock(file)
  } catch (error) {
    if (error instanceof StateError && error.code === 'taken') return null
    throw error
  }
}

async function launch(options: StartOnce, replaced: string | null): Promise<Started> {
  const failure = options.wake?.() === true ? () => null : spawnServer(options)
  const { paths } = options
  const end = performance.now() + START_TIMEOUT_MS
  for (;;) {
    const why = failure()
    const found = await findServer(paths)
    if (found.state === 'ours') return { state: 'started', file: found.file, replaced }
    if (why !== null) return { state: 'failed', why }
    if (performance.now() > end)
      return { state: 'failed', why: `it did not answer in ${START_TIMEOUT_MS / 1_000} s, ${paths.log} may say why` }
    await pause(LOOK_EVERY_MS)
  }
}

/** Gives what tells why the server has ended; null while it lives. */
function spawnServer({ paths, command, env }: StartOnce): () => string | null {
  const [program, ...args] = command
  // what it says before it can write its log itself, such as that it can't be loaded
  const log = openSync(paths.log, 'a', 0o600)
  const child = spawn(program, args, { cwd: paths.data, env, detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  let ended: string | null = null
  child.once('error', (error: NodeJS.ErrnoException) => (ended = `${program} can't be started (${error.code ?? error.message})`))
  child.once('exit', (code, signal) => (ended ??= `it ended at once (${signal ?? `exit code ${code}`}), ${paths.log} says why`))
  child.unref()
  return () => ended
}
