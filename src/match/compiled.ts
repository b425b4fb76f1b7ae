/** Entries with their items compiled, and whether an entry is in force at a moment: what both ways of matching share. */
import type { Entry } from '../core/entry.ts'
import type { GlobOptions } from './glob.ts'
import { channelsOf, compileItem } from './item.ts'
import type { CompiledItem } from './item.ts'
import type { Subject } from './match.ts'
import { outsideOf } from './scope.ts'
import type { Channel, Phase } from './view.ts'

export interface CompiledEntry {
  readonly entry: Entry
  readonly items: readonly CompiledItem[]
}

export interface MatchOptions {
  /** File systems that do not tell upper from lower case. Default: they do. */
  readonly ignorePathCase?: boolean
}

export function compileEntries(entries: readonly Entry[], { ignorePathCase = false }: MatchOptions): readonly CompiledEntry[] {
  const options: GlobOptions = { ignoreCase: ignorePathCase }
  return entries.map((entry) => ({ entry, items: entry.when.map((item) => compileItem(item, options)) }))
}

export function isInForce(entry: Entry, subject: Subject): boolean {
  return !isExpired(entry, subject) && outsideOf(entry.scope, subject) === null
}

export function isExpired(entry: Entry, subject: Subject): boolean {
  return entry.expires !== null && entry.expires <= subject.at
}

/** What the items of each phase ask about: only that can be missed. */
export function askedChannels(entries: readonly CompiledEntry[]): ReadonlyMap<Phase, ReadonlySet<Channel>> {
  const asked = new Map<Phase, Set<Channel>>()
  for (const item of entries.flatMap(({ items }) => items)) {
    if (item.phase === null) continue
    const channels = asked.get(item.phase) ?? new Set()
    for (const channel of channelsOf(item)) channels.add(channel)
    asked.set(item.phase, channels)
  }
  return asked
}

export function askedAt(asked: ReadonlyMap<Phase, ReadonlySet<Channel>>, phases: readonly Phase[]): ReadonlySet<Channel> {
  return new Set(phases.flatMap((phase) => [...(asked.get(phase) ?? [])]))
}
