/** Asks a running server to end, and waits until it has: its answers are out, its state is closed, another may start. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Paths } from '../paths.ts'
import { isAlive, readServerFile, type ServerFile } from '../server/server-file.ts'

/** Closing takes 1 s at most, on a busy machine longer. */
const STOP_TIMEOUT_MS = 15_000
const LOOK_EVERY_MS = 25

/**
 * `file`: of a server that has proven to be ours. False if it still runs after that time, or may not be ended: a host's process, which runs
 * a person's agents, is never ended by us.
 */
export async function stopServer(paths: Pick<Paths, 'server'>, file: ServerFile, timeoutMs = STOP_TIMEOUT_MS): Promise<boolean> {
  if (file.startedAs === 'host') return false
  const isNamed = readServerFile(paths.server)?.pid === file.pid
  try {
    process.kill(file.pid, 'SIGTERM')
  } catch {
    return !isAlive(file.pid)
  }
  const end = performance.now() + timeoutMs
  // It takes its file back last, with everything closed; its process may live some milliseconds more. A file that names another process it
  // leaves.
  const isOver = (): boolean => !isAlive(file.pid) || (isNamed && readServerFile(paths.server)?.pid !== file.pid)
  while (!isOver()) {
    if (performance.now() > end) return false
    await pause(LOOK_EVERY_MS)
  }
  return true
}
