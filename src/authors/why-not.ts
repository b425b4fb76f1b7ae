/** Of the entries that did not match a moment, those that came nearest, with the one condition that failed. */
import type { Entry } from '../core/entry.ts'
import { explain, type ConditionReport, type Explanation } from '../match/explain.ts'
import type { Subject } from '../match/match.ts'
import { essentialFailures } from './words.ts'

export interface NearMiss {
  readonly entry: Entry
  /** Index of the item of `when`. */
  readonly item: number
  readonly failed: ConditionReport
}

/** More than a person reads. */
const MOST = 5
/** Shorter words stand in everything. */
const SHORTEST_WORD = 3

/** Nearest first: those of which most was met, then those whose wish shares most words with what was seen. */
export function nearMisses(entries: readonly Entry[], subject: Subject): readonly NearMiss[] {
  return entries
    .flatMap((entry) => nearMiss(entry, explain(entry, subject)))
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MOST)
    .map(({ entry, item, failed }) => ({ entry, item, failed }))
}

function nearMiss(entry: Entry, explanation: Explanation): readonly (NearMiss & { readonly rank: number })[] {
  if (explanation.matched) return []
  const found = explanation.items.flatMap((item) => {
    const all = [...explanation.outside, ...essentialFailures(item)]
    const failed = all[0]
    if (failed === undefined || all.length > 1) return []
    const met = item.conditions.filter(({ key, matched }) => matched && key !== 'moment' && key !== 'not').length
    const rank = met * 10 + likeness(failed)
    // a condition alone that has nothing to do with the moment is no near miss
    return rank === 0 ? [] : [{ entry, item: item.item, failed, rank }]
  })
  return found.toSorted((a, b) => b.rank - a.rank).slice(0, 1)
}

/** Words that what was wanted shares with what was seen. */
function likeness({ key, wanted, seen }: ConditionReport): number {
  if (key === 'moment') return 0
  const words = wordsIn(seen)
  return [...wordsIn(wanted)].filter((word) => words.has(word)).length
}

function wordsIn(text: string): ReadonlySet<string> {
  return new Set((text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => word.length >= SHORTEST_WORD))
}
