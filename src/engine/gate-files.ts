/**
 * Which files bear on which entries: an entry's own file, and the files that a pointer names.
 *
 * Made anew when the stores change. A path counts as the same file by name, by symlink, or by standing at the same place in
 * another worktree of the project (law 12).
 */
import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { isGate, type Entry } from '../core/entry.ts'
import type { EntryId, TextHash } from '../core/id.ts'
import type { GateOfFile } from '../core/observe.ts'
import type { WatchedFile } from '../core/watch.ts'
import { hasLineOf } from '../match/reads.ts'
import type { Project } from '../match/match.ts'
import { realPathOf } from '../real-path.ts'

/** A file larger than this is compared by its head only. */
const COMPARED_BYTES = 256 * 1024

export interface GateFiles {
  /** The files that this path is, by the names that entries give them. */
  find(path: string): readonly string[]
  gatesOf(file: string): readonly GateOfFile[]
  /** Entries whose text is this file's: their own file, or the one file that they point to. */
  textOf(path: string): readonly { readonly entry: EntryId; readonly hash: TextHash }[]
  /** What to look for in the records, for these gates. */
  watch(entries: ReadonlySet<EntryId>): readonly WatchedFile[]
  hasLineIn(file: string, text: string): boolean
}

export interface GateFilesOptions {
  /** Resolves the entries' own paths; may remember. */
  readonly realOf?: (path: string) => string
  readonly noteOf: (entry: Entry) => string
}

export function gateFilesOf(entries: readonly Entry[], project: Project, { realOf = realPathOf, noteOf }: GateFilesOptions): GateFiles {
  const gates = new Map<string, GateOfFile[]>()
  const texts = new Map<string, { entry: EntryId; hash: TextHash }[]>()
  const lines = new Map<string, { stamp: string; isIn: (text: string) => boolean }>()
  const names = new Map<string, Set<string>>()
  const filesOf = new Map<EntryId, readonly string[]>()

  for (const entry of entries) {
    const text = { entry: entry.id, hash: entry.hash }
    push(texts, entry.file, text)
    const only = entry.read.length === 1 ? entry.read[0] : undefined
    if (only !== undefined) push(texts, only, text)
    if (!isGate(entry)) continue
    const gate: GateOfFile = { entry: entry.id, hash: entry.hash, targets: entry.read, own: [entry.file, noteOf(entry)] }
    const files = [...new Set([...gate.own, ...entry.read])]
    filesOf.set(entry.id, files)
    for (const file of files) push(gates, file, gate)
  }
  for (const file of gates.keys()) {
    for (const name of [file, realOf(file)]) {
      const files = names.get(name)
      if (files === undefined) names.set(name, new Set([file]))
      else files.add(file)
    }
  }

  const find = (path: string): readonly string[] => {
    const found = new Set<string>()
    for (const name of sameFile(path, project)) for (const file of names.get(name) ?? []) found.add(file)
    return [...found]
  }
  const hasLineIn = (file: string, text: string): boolean => {
    const stamp = stampOf(file)
    let compared = lines.get(file)
    if (compared === undefined || compared.stamp !== stamp) {
      compared = { stamp, isIn: hasLineOf(headOf(file)) }
      lines.set(file, compared)
    }
    return compared.isIn(text)
  }
  const watched = (file: string): WatchedFile => {
    const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs
    return {
      path: file,
      isSame: (path) => find(path).includes(file),
      hasLineIn: (text) => hasLineIn(file, text),
      ...(changedAt === undefined ? {} : { changedAt }),
    }
  }
  return {
    find,
    gatesOf: (file) => gates.get(file) ?? [],
    textOf: (path) => texts.get(path) ?? texts.get(realPathOf(path)) ?? [],
    watch(wanted) {
      const files = new Set([...wanted].flatMap((entry) => filesOf.get(entry) ?? []))
      return [...files].map((file) => watched(file))
    },
    hasLineIn,
  }
}

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const values = map.get(key)
  if (values === undefined) map.set(key, [value])
  else values.push(value)
}

/** A path by all the names under which an entry may know it. */
function sameFile(path: string, project: Project): ReadonlySet<string> {
  const given = [path, realPathOf(path)]
  const names = new Set(given)
  for (const root of project.roots) {
    for (const name of given) {
      const inside = relative(root, name)
      if (inside.startsWith('..') || isAbsolute(inside)) continue
      for (const other of new Set([project.root, ...project.roots])) if (other !== root) names.add(join(other, inside))
    }
  }
  return names
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? 'missing' : `${stat.mtimeMs} ${stat.size}`
}

function headOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, COMPARED_BYTES)
  } catch {
    // a file that can't be read has no line in anything: nothing is proven by it
    return ''
  }
}
