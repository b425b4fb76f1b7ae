/** Resolves symlinks and `..` as far as a path exists: the last part of a file that is about to be written does not. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, basename, resolve } from 'node:path'

export function realPathOf(path: string): string {
  let existing = resolve(path)
  const missing: string[] = []
  for (;;) {
    const found = realOf(existing)
    if (found !== null) return join(found, ...missing.toReversed())
    // one part less
    const parent = dirname(existing)
    if (parent === existing) return resolve(path)
    missing.push(basename(existing))
    existing = parent
  }
}

/**
 * Null for what is not there, a loop of links, or no right to look. Asked first whether it is there: a command names several paths that
 * are not, and an error thrown by the file system costs ten times as much as that question.
 */
function realOf(path: string): string | null {
  if (!existsSync(path)) return null
  try {
    return realpathSync.native(path)
  } catch {
    // gone in this very moment
    return null
  }
}
