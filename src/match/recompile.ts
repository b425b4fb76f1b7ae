/**
 * Compiles entries again and again, at the cost of what changed: the large index of before stays, what is gone is left out of it,
 * what is new has a small index of its own. No edit makes a moment wait for ten thousand other entries.
 */
import type { Entry } from '../core/entry.ts'
import { IndexedEntries } from './compile.ts'
import type { MatchOptions } from './compiled.ts'
import type { Matcher } from './match.ts'
import { View } from './view.ts'

/** More entries than this beside the large index, or gone from it: it is made anew. About 10 ms of compiling. */
export const MOST_CHANGED = 500

interface Base {
  readonly entries: ReadonlySet<Entry>
  readonly indexed: IndexedEntries
}

/** A compiler that remembers its last large index. Entries that did not change must be the same objects. */
export function createCompiler(options: MatchOptions = {}): (entries: readonly Entry[]) => Matcher {
  let base: Base | null = null

  return (entries) => {
    const wanted = new Set(entries)
    const kept = base
    const added = kept === null ? entries : entries.filter((entry) => !kept.entries.has(entry))
    const gone = new Set(kept === null ? [] : [...kept.entries].filter((entry) => !wanted.has(entry)))
    if (kept === null || added.length > MOST_CHANGED || gone.size > MOST_CHANGED) {
      base = { entries: wanted, indexed: new IndexedEntries(entries, options) }
      return matcherOf(base.indexed, null, new Set())
    }
    return matcherOf(kept.indexed, added.length === 0 ? null : new IndexedEntries(added, options), gone)
  }
}

function matcherOf(large: IndexedEntries, small: IndexedEntries | null, gone: ReadonlySet<Entry>): Matcher {
  return {
    match(subject) {
      const view = new View(subject)
      const found = large.candidates(view)
      const candidates = gone.size === 0 ? found : found.filter(({ entry }) => !gone.has(entry))
      const asked = new Set([...large.askedAt(view), ...(small?.askedAt(view) ?? [])])
      return {
        candidates: small === null ? candidates : [...candidates, ...small.candidates(view)],
        notAnalysed: view.notAnalysed(asked),
      }
    },
  }
}
