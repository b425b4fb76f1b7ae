/**
 * Pointers at the moment itself: which files they name in the project at hand, and what is left of them when a file is not there.
 *
 * A gate whose file is gone could never be lifted by reading it, so such a file is left out; an entry of which nothing is left to say
 * is not served.
 */
import { isAbsolute, resolve } from 'node:path'
import type { Entry } from '../core/entry.ts'
import { isFile } from './read-targets.ts'
import type { Candidate, Matcher, Project } from '../match/match.ts'

/** The entry as it is for the project at this root. The same object if nothing of it depends on the project. */
export function entryFor(entry: Entry, root: string): Entry {
  if (!dependsOnProject(entry)) return entry
  return { ...entry, read: entry.read.map((path) => resolve(root, path)).filter(isFile) }
}

export function dependsOnProject(entry: Entry): boolean {
  return entry.read.some((path) => !isAbsolute(path))
}

/** Wraps a matcher so that its candidates name files that are there. */
export function withPointers(matcher: Matcher): Matcher {
  return {
    match(subject) {
      const matched = matcher.match(subject)
      if (matched.candidates.every(({ entry }) => entry.read.length === 0)) return matched
      return { ...matched, candidates: matched.candidates.flatMap((candidate) => pointed(candidate, subject.project)) }
    },
  }
}

function pointed(candidate: Candidate, project: Project): readonly Candidate[] {
  const { entry } = candidate
  if (entry.read.length === 0) return [candidate]
  const read = entry.read.map((path) => resolve(rootOf(project), path)).filter(isFile)
  if (read.length === 0 && entry.text === '') return []
  return [{ ...candidate, entry: { ...entry, read } }]
}

/** The checkout at hand: an agent in a worktree reads the worktree's files. */
function rootOf(project: Project): string {
  return project.roots[0] ?? project.root
}
