/** Resolves symlinks and `..` as far as a path exists: the last part of a file that is about to be written does not. */
import { realpathSync } from 'node:fs'
import { dirname, join, basename, resolve } from 'node:path'

export function realPathOf(path: string): string {
  let existing = resolve(path)
  const missing: string[] = []
  for (;;) {
    try {
      return join(realpathSync.native(existing), ...missing.toReversed())
    } catch {
      // ENOENT, a loop, no right to look: one part less
      const parent = dirname(existing)
      if (parent === existing) return resolve(path)
      missing.push(basename(existing))
      existing = parent
    }
  }
}
