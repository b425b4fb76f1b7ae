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

interface Seen {
  readonly path: string
  readonly stamp: Stamp | null
  /** A folder that changes all the time: that it is the same one is enough. */
  readonly mayChange: boolean
}

interface Kept {
  readonly project: Project
  /** What was looked at, and how it was: as long as all of it is the same, the answer is. */
  readonly seen: readonly Seen[]
}

/**
 * A way to find projects that remembers its answers. It takes an absolute folder and never throws: a folder that is gone is a project
 * of its own.
 */
export function createProjects(): (cwd: string) => Project {
  const kept = new Map<string, Kept>()
  return (cwd) => {
    // where it leads is asked each time: a link may lead elsewhere now, to a folder that looks the same
    const folder = real(cwd)
    const known = kept.get(folder)
    if (known?.seen.every(isAsSeen)) return known.project
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
  const seen: Seen[] = []
  const see = (path: string, mayChange = false): void => void seen.push(look(path, mayChange))
  for (let at = folder; ; at = dirname(at)) {
    // with every commit; what is asked of it stands in its config and worktrees
    see(join(at, '.git'), true)
    const repository = repositoryAt(at)
    // one that is none yet becomes one with its HEAD
    if (repository === null) see(join(at, '.git', 'HEAD'))
    else {
      see(join(repository.common, 'config'))
      see(join(repository.common, 'worktrees'))
      // a worktree that is moved changes this alone
      for (const file of repository.links) see(file)
      const main = real(repository.main)
      const roots = new Set([at, main, ...repository.linked.map(real)])
      return { project: { root: main, roots: [...roots], remotes: repository.remotes }, seen }
    }
    if (at === dirname(at)) return { project: { root: folder, roots: [folder], remotes: [] }, seen }
  }
}

function look(path: string, mayChange: boolean): Seen {
  return { path, stamp: stampOf(path), mayChange }
}

function isAsSeen({ path, stamp: before, mayChange }: Seen): boolean {
  const now = stampOf(path)
  if (!mayChange || now?.kind !== 'folder' || before?.kind !== 'folder') return sameStamp(now, before)
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
