/**
 * Chooses for each item the one condition by which the index finds it: the literals that the fewest other items share.
 *
 * An item without a condition that can be looked up is filed as always to be tried in its phase.
 */
import type { Choices } from './choices.ts'
import { usable } from './choices.ts'
import type { CompiledItem } from './item.ts'
import type { Channel, Phase } from './view.ts'

export const INDEXED = ['prompt', 'command', 'path', 'content', 'output'] as const satisfies readonly Channel[]
export type IndexedChannel = (typeof INDEXED)[number]

export interface Anchors {
  /** By phase and channel (`placeOf`): references by literal. */
  readonly literals: ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>
  readonly always: ReadonlyMap<Phase, readonly number[]>
}

export const placeOf = (phase: Phase, channel: IndexedChannel) => `${phase}/${channel}`

/** A condition that can be looked up: for each of its patterns the usable choices. */
interface Lookup {
  readonly channel: IndexedChannel
  readonly patterns: readonly Choices[]
}

/** The reference of an item is its index here. */
export function anchorsOf(items: readonly CompiledItem[]): Anchors {
  const lookups = items.map(lookupsOf)
  const counts = countLiterals(items, lookups)
  const literals = new Map<string, Map<string, number[]>>()
  const always = new Map<Phase, number[]>()
  for (const [ref, item] of items.entries()) {
    if (item.phase === null) continue
    const best = rarest(item.phase, lookups[ref] ?? [], counts)
    if (best === null) {
      push(always, item.phase, ref)
      continue
    }
    const place = placeOf(item.phase, best.channel)
    const filed = literals.get(place) ?? new Map<string, number[]>()
    literals.set(place, filed)
    for (const literal of best.literals) push(filed, literal, ref)
  }
  return { literals, always }
}

function lookupsOf(item: CompiledItem): readonly Lookup[] {
  const lookups: Lookup[] = []
  const add = (channel: Channel, patterns: readonly Choices[] | null) => {
    const indexed = INDEXED.find((one) => one === channel)
    const able = patterns?.map(usable)
    if (indexed && able && able.length > 0 && able.every((choices) => choices.length > 0))
      lookups.push({ channel: indexed, patterns: able })
  }
  for (const { key, choices } of item.conditions) add(key, choices)
  add('command', item.commands?.map((test) => test.choices) ?? null)
  add('path', item.path?.pattern?.literals ? [[item.path.pattern.literals.map((literal) => literal.toLowerCase())]] : null)
  return lookups
}

function countLiterals(items: readonly CompiledItem[], lookups: readonly (readonly Lookup[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const [ref, item] of items.entries()) {
    for (const { channel, patterns } of lookups[ref] ?? []) {
      for (const literal of patterns.flat(2)) {
        const key = `${item.phase} ${channel} ${literal}`
        counts.set(key, (counts.get(key) ?? 0) + 1)
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

function rarest(phase: Phase, lookups: readonly Lookup[], counts: ReadonlyMap<string, number>): Best | null {
  let best: Best | null = null
  for (const { channel, patterns } of lookups) {
    const cost = (literals: readonly string[]) =>
      // Of equally rare ones the longer is met less often in what agents write.
      literals.reduce((sum, literal) => sum + (counts.get(`${phase} ${channel} ${literal}`) ?? 0) + 1 / literal.length, 0)
    const chosen = patterns.map((choices) => choices.reduce((a, b) => (cost(b) < cost(a) ? b : a)))
    const literals = chosen.flat()
    const total = cost(literals)
    if (best === null || total < best.cost) best = { channel, literals, cost: total }
  }
  return best
}

function push<K>(map: Map<K, number[]>, key: K, ref: number): void {
  const refs = map.get(key)
  if (refs === undefined) map.set(key, [ref])
  else if (refs.at(-1) !== ref) refs.push(ref)
}
