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

/** Answers are kept this long: a link that is set anew counts then. */
const KEPT_MS = 60_000
const MOST_KEPT = 50_000

/** `realPathOf` that remembers its answers for a while: for the same thousands of paths again and again. */
export function rememberedRealPaths(now: () => number): (path: string) => string {
  const kept = new Map<string, string>()
  let since = now()
  return (path) => {
    if (now() - since > KEPT_MS || kept.size > MOST_KEPT) {
      kept.clear()
      since = now()
    }
    const known = kept.get(path)
    if (known !== undefined) return known
    const real = realPathOf(path)
    kept.set(path, real)
    return real
  }
}
