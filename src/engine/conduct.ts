/** What a moment says of entries that were handed over and wait for an occasion: obeyed, violated, or only an occasion. */
import type { ContextState } from '../core/context.ts'
import type { Entry } from '../core/entry.ts'
import type { EntryId } from '../core/id.ts'
import type { Conduct } from '../core/obey.ts'
import { matchPlainly } from '../match/plain.ts'
import type { Matched, Subject } from '../match/match.ts'

const NONE: ReadonlyMap<EntryId, Conduct> = new Map()

export function conductsOf(
  context: ContextState,
  entries: ReadonlyMap<EntryId, Entry>,
  subject: Subject,
  matched: Matched,
): ReadonlyMap<EntryId, Conduct> {
  if (context.occasions.length === 0) return NONE
  const conducts = new Map<EntryId, Conduct>()
  for (const { entry: id, hash } of context.occasions) {
    const entry = entries.get(id)
    // another text may ask for something else (law 15)
    if (entry === undefined || entry.hash !== hash || conducts.has(id)) continue
    const conduct = conductOf(entry, subject, matched)
    if (conduct !== null) conducts.set(id, conduct)
  }
  return conducts
}

/** What counts as obeying is the exception: it wins. Without a list of violations, doing what the entry is about in another way is one. */
function conductOf(entry: Entry, subject: Subject, matched: Matched): Conduct | null {
  const says = (when: Entry['when']) => when.length > 0 && matchPlainly([{ ...entry, when }], subject).candidates.length > 0
  if (says(entry.obeyedWhen)) return 'obeyed'
  if (says(entry.violatedWhen)) return 'violated'
  const isOccasion = entry.obeyedWhen.length > 0 && entry.violatedWhen.length === 0 && subject.moment.kind === 'before-tool'
  return isOccasion && matched.candidates.some((candidate) => candidate.entry.id === entry.id) ? 'occasion' : null
}
