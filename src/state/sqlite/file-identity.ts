/** Which file stands at a path: another one may bear its name by now. */
import { statSync } from 'node:fs'

/** Device and inode of the file at this path; null if there is none. Costs some microseconds. */
export function identityOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}:${found.ino}`
}

/**
 * Of a state file's companions, its write-ahead file and that one's index; null if either is not there. SQLite finds them by name alone,
 * so a second connection would take others that bear their names for its own (sqlite.org/howtocorrupt.html).
 */
export function identityOfLog(file: string): string | null {
  const [log, index] = [walOf(file), shmOf(file)].map(identityOf)
  return log === null || log === undefined || index === null || index === undefined ? null : `${log} ${index}`
}

/** Of a state file that is in use, with its companions; null if any of them is not there. */
export function identityWithLog(file: string): string | null {
  const [own, log] = [identityOf(file), identityOfLog(file)]
  return own === null || log === null ? null : `${own} ${log}`
}

export function walOf(file: string): string {
  return `${file}-wal`
}

export function shmOf(file: string): string {
  return `${file}-shm`
}
