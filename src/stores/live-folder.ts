/**
 * One store's folder, kept in step with the disk.
 *
 * Three things find a change. The kernel's marks, which are exact once the event loop has turned. A look at every file of a small store
 * at each `refresh`, which is exact at once. A sweep in slices over a large store, for what no kernel tells: network drives, files behind
 * symlinks, hard links, memory maps, a queue of marks that ran over. Only what changed is read and parsed again.
 */
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Millis } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import { fileProblem } from './file-problem.ts'
import { isRecent, readFileOnce, sameStamp, stampOf, type FileRead } from './file.ts'
import { folderTree } from './folder-tree.ts'
import { heldAfter, isHalfSaved, type HeldFile } from './held-file.ts'
import { isEntryName, isNoise, notAnEntry } from './names.ts'
import { parseEntry, type ParsedEntry, type StoreOfEntry } from './parse-entry.ts'
import { isFile } from './read-targets.ts'
import { storeProblem } from './store-problem.ts'

/** Looked at in each call: 25 looks cost 0.1 ms, a good part of a whole moment. A store of up to that size is exact without any mark. */
export const LOOKS_A_CALL = 25
/** A large store is swept no more often than this. */
export const SWEEP_EVERY_MS = 2_000
/** Of a very large one, for each of its files: so that sweeping takes about a hundredth of one processor. */
const SWEEP_MS_A_FILE = 0.5
/** Files read and parsed in one call: about 20 ms. More wait for the next call or the background. */
export const READS_A_CALL = 200
/** Above this a folder is not a store of rules but a disk. The first ones are served, and a problem says how many are not. */
const MAX_FILES = 100_000

export interface LiveFolder {
  readonly store: StoreOfEntry
  /** By path, in no order. */
  readonly files: ReadonlyMap<string, HeldFile>
  /** Of the store and its folders; those of files stand with the files. */
  problems(): readonly Problem[]
  /** Takes in what changed on disk, reading no more files than this. True if anything did. */
  refresh(now: Millis, reads?: number): boolean
  /** True if a part of the work is left for the next call. */
  isBehind(): boolean
  close(): void
}

export interface LiveFolderOptions {
  readonly home: string
  readonly projectRoot?: string
  readonly maxFiles?: number
}

export function openLiveFolder(store: StoreOfEntry, options: LiveFolderOptions): LiveFolder {
  const maxFiles = options.maxFiles ?? MAX_FILES
  const files = new Map<string, HeldFile>()
  const marked = new Set<string>()
  const unsure = new Set<string>()
  const sameTick = new Set<string>()
  const halfSaved = new Set<string>()
  const overLimit = new Set<string>()
  const tree = folderTree(store.folder, { changed: (path) => void marked.add(path), unsure: (path) => void unsure.add(path) })
  let sweep: { readonly paths: readonly string[]; next: number; readonly startedAt: Millis } | null = null
  let rootProblem: Problem | null = null
  let isChanged = false

  /** Brings one path in step with the disk. */
  const visit = (path: string, now: Millis, mustParse: boolean): void => {
    const name = basename(path)
    if (isNoise(name) && path !== store.folder) return
    const stamp = stampOf(path)
    if (stamp?.kind === 'folder') {
      drop(path)
      return tree.open(path, stamp)
    }
    tree.drop(path)
    // Editors make and remove files of their own all the time: those are not opened.
    if (!isEntryName(name)) return
    const found = readFileOnce(path)
    const before = files.get(path) ?? null
    if (found.kind === 'gone' && !isSymlink(path)) return visitGone(path, before, now)
    if (before === null && files.size >= maxFiles) return void overLimit.add(path)
    overLimit.delete(path)
    take(path, found, before, now, mustParse)
  }

  const visitGone = (path: string, before: HeldFile | null, now: Millis): void => {
    overLimit.delete(path)
    if (before === null) return
    const reading = { stamp: null, digest: null, parsed: NO_ENTRY, isGone: true }
    const held = heldAfter(before, reading, now)
    if (!isHalfSaved(held, now) || !isBeingSaved(path)) return drop(path)
    files.set(path, held)
    halfSaved.add(path)
  }

  const take = (path: string, found: FileRead, before: HeldFile | null, now: Millis, mustParse: boolean): void => {
    const digest = found.kind === 'read' ? createHash('sha256').update(found.bytes).digest('base64') : null
    const stamp = 'stamp' in found ? found.stamp : null
    if (stamp !== null && isRecent(stamp, now)) sameTick.add(path)
    if (before !== null && digest !== null && digest === before.digest && !mustParse) {
      files.set(path, { ...before, stamp })
      return
    }
    const held = heldAfter(before, { stamp, digest, parsed: parsed(path, found), isGone: false }, now)
    if (isHalfSaved(held, now)) halfSaved.add(path)
    files.set(path, held)
    isChanged = true
  }

  const parsed = (path: string, found: FileRead): ParsedEntry => {
    const passedOver = notAnEntry(path, found.kind === 'read' ? found.bytes : null)
    if (passedOver !== null) return { ...NO_ENTRY, problems: [passedOver] }
    switch (found.kind) {
      case 'read':
        return parseEntry(path, found.bytes, store, options)
      case 'folder':
        return NO_ENTRY
      case 'gone':
        // A link that leads nowhere is the only thing that is there and gone.
        return { ...NO_ENTRY, problems: [storeProblem.deadLink(path)] }
      default:
        return { ...NO_ENTRY, problems: [fileProblem(path, found.kind, 'why' in found ? found.why : undefined)] }
    }
  }

  const drop = (path: string): void => {
    if (!files.delete(path)) return
    isChanged = true
    // There is room now for those that did not fit.
    for (const waiting of overLimit) marked.add(waiting)
  }

  /** Looks at one path without reading it, and marks it if it is not as it was. */
  const look = (path: string, now: Millis): void => {
    if (tree.has(path)) return tree.look(path, (stamp) => isRecent(stamp, now))
    const file = files.get(path)
    if (file === undefined) return
    if (!sameStamp(stampOf(path), file.stamp)) marked.add(path)
    else if (file.parsed.lookedFor.some(({ path: target, wasThere }) => isFile(target) !== wasThere)) visit(path, now, true)
  }

  const lookAround = (now: Millis): void => {
    const paths = (): readonly string[] => [...tree.paths(), ...files.keys()]
    if (tree.size + files.size <= LOOKS_A_CALL) {
      sweep = null
      for (const path of paths()) look(path, now)
      return
    }
    const isDone = sweep === null || sweep.next >= sweep.paths.length
    const every = Math.max(SWEEP_EVERY_MS, files.size * SWEEP_MS_A_FILE)
    if (isDone && (sweep === null || Math.abs(now - sweep.startedAt) >= every)) sweep = { paths: paths(), next: 0, startedAt: now }
    if (sweep === null) return
    const end = Math.min(sweep.next + LOOKS_A_CALL, sweep.paths.length)
    for (const path of sweep.paths.slice(sweep.next, end)) look(path, now)
    sweep.next = end
  }

  const lookAtRoot = (now: Millis): void => {
    const stamp = stampOf(store.folder)
    const problem =
      stamp === null
        ? storeProblem.missing(store.name, store.folder)
        : stamp.kind === 'folder'
          ? null
          : storeProblem.notAFolder(store.name, store.folder)
    if (problem?.code !== rootProblem?.code) isChanged = true
    rootProblem = problem
    if (problem !== null || stamp === null) return tree.drop(store.folder)
    if (tree.has(store.folder)) tree.look(store.folder, (recent) => isRecent(recent, now), stamp)
    else tree.open(store.folder, stamp)
  }

  const endHalfSaves = (now: Millis): void => {
    for (const path of halfSaved) {
      const file = files.get(path)
      if (file !== undefined && isHalfSaved(file, now)) continue
      halfSaved.delete(path)
      isChanged = true
      if (file?.isGone) drop(path)
    }
  }

  return {
    store,
    files,
    problems: () => [
      ...(rootProblem === null ? [] : [rootProblem]),
      ...tree.problems(),
      ...(overLimit.size > 0 ? [storeProblem.tooMany(store.name, store.folder, maxFiles, overLimit.size)] : []),
      ...(marked.size > 0 ? [storeProblem.loading(store.name, store.folder, marked.size)] : []),
    ],
    refresh(now, reads = READS_A_CALL) {
      isChanged = false
      const { version } = tree
      const before = `${marked.size > 0} ${overLimit.size}`
      endHalfSaves(now)
      lookAtRoot(now)
      for (const folder of unsure) if (tree.has(folder)) marked.add(folder)
      unsure.clear()
      lookAround(now)
      let left = reads
      for (const path of marked) {
        if (left-- <= 0) break
        marked.delete(path)
        sameTick.delete(path)
        visit(path, now, false)
      }
      // A snapshot: a file that is read again within the same tick stays in the set.
      const again = new Set(sameTick)
      for (const path of again) {
        if (left-- <= 0) break
        sameTick.delete(path)
        visit(path, now, false)
      }
      return isChanged || tree.version !== version || before !== `${marked.size > 0} ${overLimit.size}`
    },
    isBehind: () => marked.size > 0 || (sweep !== null && sweep.next < sweep.paths.length),
    close: () => tree.close(),
  }
}

const NO_ENTRY: ParsedEntry = { entry: null, problems: [], lookedFor: [] }

function isSymlink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  } catch {
    return false
  }
}

/** Editors put the new text, the old text or notes of their own beside a file while they replace it: `a.md~`, `.a.md.swp`, `a.md.tmp`. */
function isBeingSaved(path: string): boolean {
  const name = basename(path)
  try {
    return readdirSync(dirname(path)).some((other) => other !== name && other.includes(name))
  } catch {
    return false
  }
}
