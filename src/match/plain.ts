/** Matching without an index: every item of every entry is tried. What the index has to equal, and the shortest way to read what matching means. */
import type { Entry } from '../core/entry.ts'
import { askedAt, askedChannels, compileEntries, isInForce } from './compiled.ts'
import type { MatchOptions } from './compiled.ts'
import { holds } from './item.ts'
import type { Candidate, Matched, Subject } from './match.ts'
import { View } from './view.ts'

export function matchPlainly(entries: readonly Entry[], subject: Subject, options: MatchOptions = {}): Matched {
  const view = new View(subject)
  const compiled = compileEntries(entries, options)
  const candidates: Candidate[] = []
  for (const one of compiled) {
    const { entry, items } = one
    if (!isInForce(one, view)) continue
    const item = items.findIndex((each) => each.phase !== null && view.phases.includes(each.phase) && holds(each, view))
    if (item >= 0) candidates.push({ entry, item })
  }
  return { candidates, notAnalysed: view.notAnalysed(askedAt(askedChannels(compiled), view.phases)) }
}
