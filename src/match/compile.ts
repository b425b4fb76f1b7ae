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
import type { CompiledItem, IndexedChannel } from './item.ts'
import type { Candidate, Matcher } from './match.ts'
import { fold } from './text.ts'
import { View } from './view.ts'
import type { Channel, Phase } from './view.ts'

export function compile(entries: readonly Entry[], options: MatchOptions = {}): Matcher {
  const indexed = new IndexedEntries(entries, options)
  return {
    match(subject) {
      const view = new View(subject)
      return { candidates: indexed.candidates(view), notAnalysed: view.notAnalysed(indexed.askedAt(view)) }
    },
  }
}

/** Entries with their index. */
export class IndexedEntries {
  readonly #asked: ReadonlyMap<Phase, ReadonlySet<Channel>>
  readonly #items: readonly { readonly of: CompiledEntry; readonly item: CompiledItem; readonly number: number }[]
  readonly #always: ReadonlyMap<Phase, readonly number[]>
  readonly #indexes: ReadonlyMap<string, GramIndex>

  constructor(entries: readonly Entry[], options: MatchOptions) {
    const compiled = compileEntries(entries, options)
    this.#asked = askedChannels(compiled)
    this.#items = compiled.flatMap((of) => of.items.map((item, number) => ({ of, item, number })))
    const { literals, always } = anchorsOf(this.#items.map(({ item }) => item))
    this.#always = always
    this.#indexes = new Map([...literals].map(([place, filed]) => [place, new GramIndex(filed)]))
  }

  /** Entries that match, in their order. */
  candidates(view: View): readonly Candidate[] {
    const candidates: Candidate[] = []
    let last: CompiledEntry | null = null
    for (const ref of this.#refsFor(view)) {
      const found = this.#items[ref]
      if (!found || found.of === last || !isInForce(found.of, view) || !holds(found.item, view)) continue
      candidates.push({ entry: found.of.entry, item: found.number })
      last = found.of
    }
    return candidates
  }

  askedAt(view: View): ReadonlySet<Channel> {
    return askedAt(this.#asked, view.phases)
  }

  #refsFor(view: View): Iterable<number> {
    const refs = new Set<number>()
    for (const phase of view.phases) {
      for (const ref of this.#always.get(phase) ?? []) refs.add(ref)
      for (const channel of INDEXED) {
        const index = this.#indexes.get(placeOf(phase, channel))
        if (!index) continue
        for (const text of textsOf(channel, view)) index.find(text, (found) => found.forEach((ref) => refs.add(ref)))
      }
    }
    return [...refs].toSorted((a, b) => a - b)
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
