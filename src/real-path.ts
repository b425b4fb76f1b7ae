/** Resolves symlinks and `..` as far as a path exists: the last part of a file that is about to be written does not. */
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { dirname, join, basename, resolve } from 'node:path'

/** PATH_MAX of Linux, in characters: no longer path can be opened. */
const MAX_PATH = 4_096
/** Folders in folders. Each is looked at on the way up. */
const MAX_DEPTH = 256

/** False for what is longer or deeper than any real path: looking for it part by part would take seconds. */
export function isPathLike(path: string): boolean {
  if (path.length > MAX_PATH) return false
  let depth = 0
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) depth += 1
  return depth <= MAX_DEPTH
}

export function realPathOf(path: string): string {
  if (!isPathLike(path)) return resolve(path)
  let existing = resolve(path)
  const missing: string[] = []
  for (;;) {
    // asked first: an exception for each part that is missing costs twice as much
    const real = existsSync(existing) ? realOf(existing) : null
    if (real !== null) return join(real, ...missing.toReversed())
    const parent = dirname(existing)
    if (parent === existing) return resolve(path)
    missing.push(basename(existing))
    existing = parent
  }
}

/** Where disks find a name in any case, only the system's own answer has it as it is stored. */
const IGNORES_CASE = process.platform === 'darwin' || process.platform === 'win32'

/** A path with its symlinks resolved as far as it exists. */
export interface RealPlace {
  readonly path: string
  readonly isThere: boolean
}

/**
 * One step of the same, for many paths that share folders: `above` tells about the folder that the path stands in, and may remember. A
 * path without links costs one look at the disk then, where `realPathOf` takes one for each of its parts.
 *
 * `path`: absolute and without `..`.
 */
export function realPlaceOf(path: string, above: (folder: string) => RealPlace): RealPlace {
  if (IGNORES_CASE) return { path: realPathOf(path), isThere: true }
  const folder = dirname(path)
  if (folder === path) return { path, isThere: true }
  const parent = above(folder)
  const next = `${parent.path === '/' ? '' : parent.path}${path.slice(folder === '/' ? 0 : folder.length)}`
  if (!parent.isThere) return { path: next, isThere: false }
  const kind = kindOf(next)
  if (kind !== 'link') return { path: next, isThere: kind === 'there' }
  const real = existsSync(next) ? realOf(next) : null
  return real === null ? { path: next, isThere: false } : { path: real, isThere: true }
}

function kindOf(path: string): 'link' | 'there' | 'gone' {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats === undefined ? 'gone' : stats.isSymbolicLink() ? 'link' : 'there'
  } catch {
    // what may not be looked at, or no file system takes
    return 'gone'
  }
}

/** Null for a loop, or what may not be looked at. */
function realOf(path: string): string | null {
  try {
    return realpathSync.native(path)
  } catch {
    return null
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
