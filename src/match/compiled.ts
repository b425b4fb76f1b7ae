/** Entries with their items compiled, and whether an entry is in force at a moment: what both ways of matching share. */
import type { Entry } from '../core/entry.ts'
import type { GlobOptions } from './glob.ts'
import { compileItem } from './item.ts'
import type { CompiledItem } from './item.ts'
import type { Subject } from './match.ts'
import { scopeTest } from './scope.ts'
import type { ScopeTest } from './scope.ts'
import type { Channel, Phase, View } from './view.ts'

export interface CompiledEntry {
  readonly entry: Entry
  readonly items: readonly CompiledItem[]
  readonly scope: ScopeTest
}

export interface MatchOptions {
  /** File systems that do not tell upper from lower case. Default: they do. */
  readonly ignorePathCase?: boolean
}

/** Compiled once for each entry object and each rule of case, so that a change of one entry costs one compilation. */
const kept = { true: new WeakMap<Entry, CompiledEntry>(), false: new WeakMap<Entry, CompiledEntry>() }

export function compileEntries(entries: readonly Entry[], { ignorePathCase = false }: MatchOptions): readonly CompiledEntry[] {
  const cache = kept[`${ignorePathCase}`]
  return entries.map((entry) => {
    const known = cache.get(entry)
    if (known) return known
    const compiled = compileEntry(entry, { ignoreCase: ignorePathCase })
    cache.set(entry, compiled)
    return compiled
  })
}

function compileEntry(entry: Entry, options: GlobOptions): CompiledEntry {
  return { entry, items: entry.when.map((item) => compileItem(item, options)), scope: scopeTest(entry.scope) }
}

export function isInForce({ entry, scope }: CompiledEntry, view: View): boolean {
  return !isExpired(entry, view.subject) && scope.outside(view.subject, view.projectNames) === null
}

export function isExpired(entry: Entry, subject: Subject): boolean {
  return entry.expires !== null && entry.expires <= subject.at
}

/** What the items of each phase ask about: only that can be missed. */
export function askedChannels(entries: readonly CompiledEntry[]): ReadonlyMap<Phase, ReadonlySet<Channel>> {
  const asked = new Map<Phase, Set<Channel>>()
  for (const { items } of entries) {
    for (const { phase, channels } of items) {
      if (phase === null) continue
      const known = asked.get(phase) ?? new Set()
      for (const channel of channels) known.add(channel)
      asked.set(phase, known)
    }
  }
  return asked
}

export function askedAt(asked: ReadonlyMap<Phase, ReadonlySet<Channel>>, phases: readonly Phase[]): ReadonlySet<Channel> {
  return new Set(phases.flatMap((phase) => [...(asked.get(phase) ?? [])]))
}
