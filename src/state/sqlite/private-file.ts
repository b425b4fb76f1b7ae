/** Files that only their owner can read, in a folder that only they can enter. */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const OTHERS = 0o077

/**
 * Makes an empty private file, or takes the rights of others away from one that is there. Throws what the file system throws.
 *
 * A folder that is there keeps its mode: it may be shared on purpose. A file that is there is never opened: closing any
 * descriptor of a file drops all locks that this process holds on it (fcntl(2), "Record locks"), SQLite's too.
 */
export function makePrivateFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE })
  if (createPrivateFile(file)) return
  if ((statSync(file).mode & OTHERS) !== 0) chmodSync(file, FILE_MODE)
}

/** False if there is one already. */
function createPrivateFile(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', FILE_MODE))
    return true
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return false
    throw thrown
  }
}
