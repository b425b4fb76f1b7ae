/**
 * The project that a folder belongs to: the nearest git root, of the main checkout for a worktree, else the folder itself.
 *
 * Answers are kept, and checked with a few looks at the disk before they are given again: `git init`, `git remote add` and
 * `git worktree add` count at once.
 */
import { realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Project } from '../match/match.ts'
import { sameStamp, stampOf, type Stamp } from './file.ts'
import { repositoryAt } from './git.ts'

/** Folders that agents work in at the same time, with room to spare. */
const MOST_KEPT = 256

interface Kept {
  readonly project: Project
  /** What was looked at, and how it was: as long as all of it is the same, the answer is. */
  readonly seen: readonly (readonly [path: string, stamp: Stamp | null])[]
}

/**
 * A way to find projects that remembers its answers. It takes an absolute folder and never throws: a folder that is gone is a project
 * of its own.
 */
export function createProjects(): (cwd: string) => Project {
  const kept = new Map<string, Kept>()
  return (cwd) => {
    const folder = real(cwd)
    const known = kept.get(folder)
    if (known?.seen.every(([path, stamp]) => sameAs(path, stamp))) return known.project
    const found = find(folder)
    kept.delete(folder)
    kept.set(folder, found)
    const oldest = kept.keys().next().value
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
    return found.project
  }
}

/** Finds one project, without a memory. */
export function projectOf(cwd: string): Project {
  return find(real(cwd)).project
}

function find(folder: string): Kept {
  const seen: [string, Stamp | null][] = []
  const see = (path: string): void => void seen.push([path, stampOf(path)])
  for (let at = folder; ; at = dirname(at)) {
    see(join(at, '.git'))
    const repository = repositoryAt(at)
    if (repository !== null) {
      see(join(repository.common, 'config'))
      see(join(repository.common, 'worktrees'))
      const main = real(repository.main)
      const roots = new Set([at, main, ...repository.linked.map(real)])
      return { project: { root: main, roots: [...roots], remotes: repository.remotes }, seen }
    }
    if (at === dirname(at)) return { project: { root: folder, roots: [folder], remotes: [] }, seen }
  }
}

/** A git folder changes with every commit; that it is the same one is enough. Its config and worktrees are looked at on their own. */
function sameAs(path: string, before: Stamp | null): boolean {
  const now = stampOf(path)
  if (now === null || before === null || now.kind !== 'folder' || !path.endsWith('.git')) return sameStamp(now, before)
  return now.inode === before.inode && now.device === before.device
}

/** With symlinks resolved as far as the path exists. */
function real(path: string): string {
  const absolute = resolve(path)
  try {
    // the native one asks the system once, the other one for each part of the path
    return realpathSync.native(absolute)
  } catch {
    const above = dirname(absolute)
    return above === absolute ? absolute : join(real(above), absolute.slice(above.length))
  }
}
