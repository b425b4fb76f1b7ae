/**
 * Stores that projects bring in `.contextmd/`: of each, the entries that a person trusts, as they stand on disk now.
 *
 * An entry counts only with the very bytes that were seen (or the project is followed), and only if neither it nor a file that it names
 * lies outside of the project. What is new or changed waits, and its neighbours are served all the same.
 */
import { basename, join, relative, sep } from 'node:path'
import type { Entry } from '../core/entry.ts'
import type { Millis } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import type { Matcher } from '../match/match.ts'
import { realPathOf } from '../real-path.ts'
import { compileAll, type Compile } from './compile-all.ts'
import { stampOf } from './file.ts'
import type { HeldFile } from './held-file.ts'
import { openLiveFolder, type LiveFolder } from './live-folder.ts'
import { withPointers } from './pointers.ts'
import { projectStoreProblem } from './project-store-problem.ts'
import { mergeEntries } from './merge.ts'
import { openTrust, type TrustedProject } from './trust.ts'

/** Folder of a project's own store. */
export const PROJECT_STORE = '.contextmd'
/** Above this a project's store is no store of rules. The first ones are looked at. */
export const MAX_PROJECT_FILES = 1_000
/** Projects whose store is kept open. */
const MOST_OPEN = 64

export interface ProjectNow {
  /** Grows with every change. */
  readonly version: number
  readonly name: string
  readonly folder: string
  readonly entries: readonly Entry[]
  readonly matcher: Matcher
  readonly problems: readonly Problem[]
  readonly infos: readonly Problem[]
}

export interface ProjectStores {
  /** Null if the project brings no store. The same object as long as nothing changed. */
  current(root: string, now: Millis): ProjectNow | null
  /** Those that were asked for and are kept open. */
  all(): readonly ProjectNow[]
  close(): void
}

interface Kept {
  readonly live: LiveFolder | null
  readonly trusted: TrustedProject | null
  readonly trustProblem: Problem | null
  readonly now: ProjectNow
}

/** `trustFile` undefined: nothing is trusted. */
export function openProjectStores({
  trustFile,
  home,
  compile,
}: {
  trustFile: string | undefined
  home: string
  compile: Compile
}): ProjectStores {
  const trust = trustFile === undefined ? null : openTrust(trustFile)
  const kept = new Map<string, Kept>()

  const drop = (root: string): void => {
    kept.get(root)?.live?.close()
    kept.delete(root)
  }

  return {
    current(root, now) {
      const folder = join(root, PROJECT_STORE)
      if (stampOf(folder)?.kind !== 'folder') {
        drop(root)
        return null
      }
      const read = trust?.() ?? null
      const trusted = (read?.state === 'read' ? read.trust.get(root) : null) ?? null
      const trustProblem = read?.state === 'broken' ? read.problem : null
      const before = kept.get(root)
      const isInside = isWithin(realPathOf(folder), realPathOf(root))
      const live = trusted === null || !isInside ? null : (before?.live ?? openStore(root, home))
      const hasChanged = live?.refresh(now, MAX_PROJECT_FILES) ?? before?.live !== live
      if (live === null) before?.live?.close()
      if (before !== undefined && !hasChanged && before.live === live && before.trusted === trusted && before.trustProblem === trustProblem)
        return before.now
      const made: Omit<ProjectNow, 'version'> =
        live === null || trusted === null
          ? nothingOf(root, [
              ...(trustProblem === null ? [] : [trustProblem]),
              isInside ? projectStoreProblem.notTrusted(root, folder) : projectStoreProblem.outside(folder),
            ])
          : seenOf(root, live, trusted, compile)
      kept.delete(root)
      const next = { ...made, version: (before?.now.version ?? 0) + 1 }
      kept.set(root, { live, trusted, trustProblem, now: next })
      const oldest = kept.keys().next().value
      if (kept.size > MOST_OPEN && oldest !== undefined) drop(oldest)
      return next
    },
    all: () => [...kept.values()].map(({ now }) => now),
    close() {
      for (const root of kept.keys()) drop(root)
    },
  }
}

/** First part of the ids of the project's entries. */
export function projectStoreName(root: string): string {
  return basename(root).replaceAll(/\s+/g, '-') || 'project'
}

export function openStore(root: string, home: string): LiveFolder {
  const store = { name: projectStoreName(root), folder: join(root, PROJECT_STORE) }
  return openLiveFolder(store, { home, projectRoot: root, maxFiles: MAX_PROJECT_FILES })
}

/** True if a Markdown file says nothing that could be served: a README, a hidden file. */
export function isPassedOver({ parsed }: HeldFile): boolean {
  return parsed.entry === null && parsed.problems.every(({ code }) => code === 'entry_passed_over')
}

/** Null, or what keeps an entry of a project out: it, or a file that it names, lies elsewhere. */
export function leavesProject(path: string, entry: Entry | null, root: string): string | null {
  const project = realPathOf(root)
  return [path, ...(entry?.read ?? [])].find((file) => !isWithin(realPathOf(file), project)) ?? null
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

function nothingOf(root: string, problems: readonly Problem[]): Omit<ProjectNow, 'version'> {
  return { name: projectStoreName(root), folder: join(root, PROJECT_STORE), entries: [], matcher: NO_MATCH, problems, infos: [] }
}

const NO_MATCH: Matcher = { match: () => ({ candidates: [], notAnalysed: null }) }

function seenOf(root: string, live: LiveFolder, trusted: TrustedProject, compile: Compile): Omit<ProjectNow, 'version'> {
  const { store } = live
  const entries: Entry[] = []
  const waiting: string[] = []
  const found: Problem[] = [...live.problems()]
  for (const path of [...live.files.keys()].sort()) {
    const file = live.files.get(path)
    if (file === undefined || isPassedOver(file)) continue
    const name = relative(store.folder, path)
    const outside = leavesProject(path, file.parsed.entry, root)
    if (outside !== null) found.push(projectStoreProblem.entryOutside(path, outside))
    else if (!trusted.follow && (file.digest === null || trusted.entries.get(name) !== file.digest)) waiting.push(name)
    else {
      // a save that is half done counts as it is: its last good form may be one that nobody has seen
      if (file.parsed.entry !== null) entries.push(file.parsed.entry)
      found.push(...file.parsed.problems)
    }
  }
  if (waiting.length > 0) found.push(projectStoreProblem.waiting(root, store.folder, waiting))
  const merged = mergeEntries([entries])
  const compiled = compileAll(merged.entries, compile)
  const problems = [...found, ...merged.problems, ...compiled.problems]
  return {
    name: store.name,
    folder: store.folder,
    entries: compiled.entries,
    matcher: withPointers(compiled.matcher),
    problems: problems.filter(({ severity, code }) => severity !== 'info' || code.startsWith('store_')),
    infos: problems.filter(({ severity, code }) => severity === 'info' && !code.startsWith('store_')),
  }
}
