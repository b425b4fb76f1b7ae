/** Which file stands at a path: another one may bear its name by now. */
import { statSync } from 'node:fs'

/** Device and inode of the file at this path; null if there is none. Costs some microseconds. */
export function identityOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}:${found.ino}`
}
