/**
 * The matcher: entries compiled to an index, so that a moment's cost hardly grows with their number.
 *
 * The index finds items whose literals stand in what the moment shows; only those, and the few that have none, are tried. The outcome is
 * exactly that of trying all of them (`plain.ts`).
 */
import type { Entry } from '../core/entry.ts'
import { anchorsOf, placeOf } from './anchors.ts'
import { indexedCommand } from './command-condition.ts'
import { askedAt, askedChannels, compileEntries, isInForce } from './compiled.ts'
import type { CompiledEntry, MatchOptions } from './compiled.ts'
import { GramIndex } from './gram-index.ts'
import { holds, INDEXED } from './item.ts'
import type { IndexedChannel } from './item.ts'
import type { Candidate, Matcher, Subject } from './match.ts'
import { fold } from './text.ts'
import { View } from './view.ts'

export function compile(entries: readonly Entry[], options: MatchOptions = {}): Matcher {
  const compiled = compileEntries(entries, options)
  const asked = askedChannels(compiled)
  const items = compiled.flatMap((of) => of.items.map((item, number) => ({ of, item, number })))
  const { literals, always } = anchorsOf(items.map(({ item }) => item))
  const indexes = new Map([...literals].map(([place, filed]) => [place, new GramIndex(filed)]))

  const refsFor = (view: View): Iterable<number> => {
    const refs = new Set<number>()
    for (const phase of view.phases) {
      for (const ref of always.get(phase) ?? []) refs.add(ref)
      for (const channel of INDEXED) {
        const index = indexes.get(placeOf(phase, channel))
        if (!index) continue
        for (const text of textsOf(channel, view)) index.find(text, (found) => found.forEach((ref) => refs.add(ref)))
      }
    }
    return [...refs].toSorted((a, b) => a - b)
  }

  return {
    match(subject: Subject) {
      const view = new View(subject)
      const candidates: Candidate[] = []
      let last: CompiledEntry | null = null
      for (const ref of refsFor(view)) {
        const found = items[ref]
        if (!found || found.of === last || !isInForce(found.of, view) || !holds(found.item, view)) continue
        candidates.push({ entry: found.of.entry, item: found.number })
        last = found.of
      }
      return { candidates, notAnalysed: view.notAnalysed(askedAt(asked, view.phases)) }
    },
  }
}

/** What the index searches for a channel, folded. */
function textsOf(channel: IndexedChannel, view: View): readonly string[] {
  switch (channel) {
    case 'prompt':
      return view.prompt ? [view.prompt.folded] : []
    case 'content':
      return view.content ? [view.content.folded] : []
    case 'output':
      return view.output ? [view.output.folded] : []
    case 'command':
      return view.commands.map(({ normal }) => indexedCommand(normal))
    case 'path':
      return view.uses.flatMap(({ absolute }) => absolute.map(fold))
    default:
      return channel satisfies never
  }
}
