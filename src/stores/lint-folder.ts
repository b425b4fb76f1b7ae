/** Lint of a folder that need not be a store: what an author sees before anything is served. */
import type { Entry } from '../core/entry.ts'
import type { Millis } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import { entryOf, problemsOf } from './held-file.ts'
import { openLiveFolder, type LiveFolderOptions } from './live-folder.ts'
import { byPlace, expiredEntry } from './lint.ts'
import { mergeEntries } from './merge.ts'
import type { StoreOfEntry } from './parse-entry.ts'

export interface LintedFolder {
  readonly entries: readonly Entry[]
  readonly problems: readonly Problem[]
}

/** Null if there is no such folder. */
export function lintFolder(store: StoreOfEntry, options: LiveFolderOptions, now: Millis): LintedFolder | null {
  const folder = openLiveFolder(store, options)
  try {
    folder.refresh(now, Infinity)
    const problems = folder.problems()
    if (problems.some(({ code }) => code === 'store_folder_missing' || code === 'store_not_a_folder')) return null
    const files = [...folder.files.keys()].sort().flatMap((path) => folder.files.get(path) ?? [])
    const entries = files.flatMap((file) => entryOf(file, now) ?? [])
    const found = [...problems, ...files.flatMap((file) => problemsOf(file, now)), ...mergeEntries([entries]).problems]
    return { entries, problems: [...found, ...entries.flatMap((entry) => expiredEntry(entry, now))].sort(byPlace) }
  } finally {
    folder.close()
  }
}
