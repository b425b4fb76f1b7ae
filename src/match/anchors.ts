/**
 * Chooses for each item the one condition by which the index finds it: the literals that the fewest other items share.
 *
 * An item without a condition that can be looked up is filed as always to be tried in its phase.
 */
import type { CompiledItem, IndexedChannel, Lookup } from './item.ts'
import type { Phase } from './view.ts'

export interface Anchors {
  /** By phase and channel (`placeOf`): references by literal. */
  readonly literals: ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>
  readonly always: ReadonlyMap<Phase, readonly number[]>
}

export const placeOf = (phase: Phase, channel: IndexedChannel) => `${phase}/${channel}`

/** The reference of an item is its index here. */
export function anchorsOf(items: readonly CompiledItem[]): Anchors {
  const counts = countLiterals(items)
  const literals = new Map<string, Map<string, number[]>>()
  const always = new Map<Phase, number[]>()
  for (const [ref, item] of items.entries()) {
    if (item.phase === null) continue
    const best = rarest(item.phase, item.lookups, counts)
    if (best === null) {
      push(always, item.phase, ref)
      continue
    }
    const filed = inner(literals, placeOf(item.phase, best.channel))
    for (const literal of best.literals) push(filed, literal, ref)
  }
  return { literals, always }
}

type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>

function countLiterals(items: readonly CompiledItem[]): Counts {
  const counts = new Map<string, Map<string, number>>()
  for (const { phase, lookups } of items) {
    if (phase === null) continue
    for (const { channel, patterns } of lookups) {
      const own = inner(counts, placeOf(phase, channel))
      for (const choices of patterns) {
        for (const choice of choices) for (const literal of choice) own.set(literal, (own.get(literal) ?? 0) + 1)
      }
    }
  }
  return counts
}

interface Best {
  readonly channel: IndexedChannel
  readonly literals: readonly string[]
  readonly cost: number
}

function rarest(phase: Phase, lookups: readonly Lookup[], counts: Counts): Best | null {
  let best: Best | null = null
  for (const { channel, patterns } of lookups) {
    const own = counts.get(placeOf(phase, channel))
    const cost = (literals: readonly string[]) => {
      let sum = 0
      // Of equally rare ones the longer is met less often in what agents write.
      for (const literal of literals) sum += (own?.get(literal) ?? 0) + 1 / literal.length
      return sum
    }
    const chosen = patterns.map((choices) => choices.reduce((a, b) => (cost(b) < cost(a) ? b : a)))
    const literals = chosen.length === 1 ? (chosen[0] ?? []) : chosen.flat()
    const total = cost(literals)
    if (best === null || total < best.cost) best = { channel, literals, cost: total }
  }
  return best
}

function inner<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const known = map.get(key)
  if (known) return known
  const made = new Map<string, V>()
  map.set(key, made)
  return made
}

function push<K>(map: Map<K, number[]>, key: K, ref: number): void {
  const refs = map.get(key)
  if (refs === undefined) map.set(key, [ref])
  else if (refs.at(-1) !== ref) refs.push(ref)
}
