/**
 * The folders of one store: listed, watched, each real folder once.
 *
 * It reads no entries. Whatever may have changed is marked, and the one who reads the marks finds out what it is.
 */
import { readdirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import type { Problem } from '../core/problem.ts'
import { stampOf, sameStamp, type Stamp } from './file.ts'
import { watchFolder, type Marks } from './folder-watch.ts'
import { isEntryName, isNoise } from './names.ts'
import { storeProblem } from './store-problem.ts'

/** Deeper nesting is an accident. */
const MAX_DEPTH = 32

interface Folder {
  readonly depth: number
  /** Which real folder it is, so that links can't make it count twice. */
  readonly identity: string
  readonly watch: { close(): void } | null
  stamp: Stamp
  /** Paths in it that are entries, folders, or links to either. */
  children: ReadonlySet<string>
}

export interface FolderTree {
  has(path: string): boolean
  paths(): readonly string[]
  readonly size: number
  /** Takes a folder in, or takes it in anew: another one may bear its name by now, and the old watch would hear nothing of it. */
  open(path: string, stamp: Stamp): void
  /** Lists a folder again if it changed, or may have: `isRecent` says that two changes could bear one stamp. */
  look(path: string, isRecent: (stamp: Stamp) => boolean, stamp?: Stamp | null): void
  /** The folder is gone: everything in it is marked. */
  drop(path: string): void
  problems(): readonly Problem[]
  /** Grows with each change of the problems. */
  readonly version: number
  close(): void
}

export function folderTree(root: string, marks: Marks): FolderTree {
  const folders = new Map<string, Folder>()
  const owners = new Map<string, string>()
  const issues = new Map<string, Problem>()
  let version = 0

  const setIssue = (path: string, problem: Problem | null): void => {
    if (issues.get(path)?.code === problem?.code) return
    version += 1
    if (problem === null) issues.delete(path)
    else issues.set(path, problem)
  }

  const open = (path: string, stamp: Stamp): void => {
    const before = folders.get(path)
    const depth = path === root ? 0 : path.slice(root.length + 1).split(/[/\\]/).length
    const identity = `${stamp.device}:${stamp.inode}`
    const twin = owners.get(identity)
    if (twin !== undefined && twin !== path && folders.get(twin)?.identity === identity)
      return setIssue(path, storeProblem.seenTwice(path, twin))
    if (depth > MAX_DEPTH) return setIssue(path, storeProblem.tooDeep(path, MAX_DEPTH))
    before?.watch?.close()
    owners.set(identity, path)
    // The watch comes before the listing, so that nothing falls in between.
    const watch = watchFolder(path, marks)
    folders.set(path, { depth, identity, watch, stamp, children: before?.children ?? new Set() })
    setIssue(path, watch === null ? storeProblem.notWatched(path) : null)
    list(path, true)
  }

  /** Marks what came and what went; with `all`, what stayed as well. */
  const list = (path: string, all: boolean): void => {
    const folder = folders.get(path)
    if (folder === undefined) return
    const listed = listing(path)
    if (listed === null) return setIssue(path, storeProblem.unreadable(path))
    if (issues.get(path)?.code === 'store_folder_unreadable') setIssue(path, null)
    const before = folder.children
    folder.children = new Set(listed.filter((child) => isOfInterest(child)).map((child) => join(path, child.name)))
    for (const child of folder.children) if (all || !before.has(child)) marks.changed(child)
    for (const child of before) if (!folder.children.has(child)) marks.changed(child)
  }

  return {
    has: (path) => folders.has(path),
    paths: () => [...folders.keys()],
    get size() {
      return folders.size
    },
    open,
    look(path, isRecent, stamp = stampOf(path)) {
      const folder = folders.get(path)
      if (folder === undefined) return
      if (stamp === null || folder.identity !== `${stamp.device}:${stamp.inode}`) return marks.changed(path)
      if (sameStamp(stamp, folder.stamp) && !isRecent(stamp)) return
      folder.stamp = stamp
      list(path, false)
    },
    drop(path) {
      const folder = folders.get(path)
      setIssue(path, null)
      if (folder === undefined) return
      folder.watch?.close()
      folders.delete(path)
      owners.delete(folder.identity)
      for (const child of folder.children) marks.changed(child)
    },
    problems: () => [...issues.values()],
    get version() {
      return version
    },
    close() {
      for (const folder of folders.values()) folder.watch?.close()
      folders.clear()
    },
  }
}

function listing(path: string): Dirent[] | null {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    // no permission, or gone in this very moment: its parent's mark says so
    return null
  }
}

function isOfInterest(child: Dirent): boolean {
  if (isNoise(child.name)) return false
  return child.isDirectory() || child.isSymbolicLink() || isEntryName(child.name)
}
