/**
 * The server that a hook, or the OpenCode plugin, has started: nobody's child, so it is found and ended by what stands in the data folder.
 */
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathsFrom } from '../src/paths.ts'
import { isAlive, readServerFile } from '../src/server/server-file.ts'
import type { ServerFile } from '../src/server/server-file.ts'
import { findServer, portOf } from '../src/service/find.ts'
import { stopServer } from '../src/service/stop.ts'
import { ourEnv, readerOf, START_TIMEOUT_MS, until } from './contextmd.ts'
import type { ContextMD } from './contextmd.ts'
import type { Place } from './place.ts'

const MAX_LOG_CHARS = 4_000

/** `server.start` as setup wrote it, and the patience of all other rows; from now on such a server ends with the canary at the latest. */
export async function prepareAutostart(place: Place): Promise<void> {
  const lines = Object.entries(ourEnv()).map(([name, value]) => `${name}=${value}\n`)
  await appendFile(startFile(place), lines.join(''))
  process.once('exit', () => killIn(place))
}

/** Waits until the server is there, however it came. Throws with its log when it does not come. */
export async function autostarted(place: Place): Promise<ContextMD> {
  const paths = pathsFrom({ ...place.env })
  let file: ServerFile | null = null
  const isThere = async (): Promise<boolean> => {
    const found = await findServer(paths)
    if (found.state === 'ours') file = found.file
    return file !== null
  }
  const logged = async (): Promise<string> => (await readFile(paths.log, 'utf8').catch(() => '')).slice(-MAX_LOG_CHARS)
  await until(isThere, START_TIMEOUT_MS)
  if (file === null) throw new Error(`the session should have started the server: ${await logged()}`)
  // the last look gave it
  const { pid, address }: ServerFile = file
  const log = await logged()
  return {
    ...readerOf(place, portOf({ address })),
    pid: () => Promise.resolve(pid),
    output: () => log,
    stop: () => endAutostarted(place),
  }
}

/** Ends it; also one that is still on its way, since nothing of a row may stay. */
export async function endAutostarted(place: Place): Promise<void> {
  const paths = pathsFrom({ ...place.env })
  await until(() => Promise.resolve(readServerFile(paths.server) !== null), START_TIMEOUT_MS)
  const file = readServerFile(paths.server)
  if (file === null || !isAlive(file.pid)) return
  if (!(await stopServer(paths, file))) killIn(place)
}

/** Names of the variables that the server was to be started with, and of those that it has; null where the system does not tell. */
export async function environmentOf(
  place: Place,
  pid: number,
): Promise<{ readonly wanted: ReadonlySet<string>; readonly has: readonly string[] } | null> {
  const told = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => null)
  if (told === null) return null
  const nameIn = (variable: string): string => variable.split('=', 1)[0] ?? ''
  const [, , ...variables] = (await readFile(startFile(place), 'utf8')).trimEnd().split('\n')
  return {
    wanted: new Set(variables.map(nameIn)),
    has: told
      .split('\0')
      .filter((variable) => variable !== '')
      .map(nameIn),
  }
}

function startFile(place: Place): string {
  return join(pathsFrom({ ...place.env }).hooks, 'server.start')
}

function killIn(place: Place): void {
  const file = readServerFile(pathsFrom({ ...place.env }).server)
  if (file !== null && isAlive(file.pid)) process.kill(file.pid, 'SIGKILL')
}
