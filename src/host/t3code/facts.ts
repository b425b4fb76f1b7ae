/**
 * Evidence from the host's items: about texts that were put into a result, and about reads.
 *
 * Items never hold a hook's additional context, and a denied call may leave none: what is not there says nothing.
 */
import { createHash } from 'node:crypto'
import type { ClaimFact, Fact, ReadFact } from '../../core/fact.ts'
import type { ClaimId } from '../../core/id.ts'
import { findMarks, MARK_START } from '../../core/mark.ts'
import type { WatchedClaim } from '../../core/watch.ts'
import type { HostLook, HostTold } from '../../host.ts'
import type { T3Database } from './database.ts'
import { itemReads } from './item-reads.ts'
import { itemsOf, laterThan, type Item } from './items.ts'
import { resultTexts } from './result-text.ts'
import { DRIVERS } from './tables.ts'

export function hostFacts(database: T3Database, thread: string, look: HostLook): HostTold {
  if (!database.shape().has.items) return NOTHING_TOLD
  const claims = look.watch.claims.filter(isInResult)
  if (claims.length === 0 && look.watch.files.length === 0) return NOTHING_TOLD
  const threads = database.family(thread)
  const facts: Fact[] = []
  const known: ClaimId[] = []
  for (const claim of claims) {
    const items = itemsOf(database, threads, claim.place.call ?? '', DRIVERS[look.harness])
    if (items.length > 0) known.push(claim.id)
    const fact = items.length === 1 && items[0] !== undefined ? factOf(database, claim, items[0]) : null
    if (fact !== null) facts.push(fact)
  }
  if (look.watch.files.length > 0) facts.push(...readFacts(database, threads, look))
  return { facts, known }
}

const NOTHING_TOLD: HostTold = { facts: [], known: [] }

/** A claim that an item can judge: its text is the deny's reason, which is the result of the call. */
function isInResult({ place, form }: WatchedClaim): boolean {
  return place.way === 'reason' && place.call !== null && form !== 'stub'
}

/** Null while nothing can be said: the item is not finished (G6), or keeps no result. */
function factOf(database: T3Database, claim: WatchedClaim, item: Item): ClaimFact | null {
  if (!item.isFinished) return null
  const texts = resultTexts(item)
  if (texts.length === 0) return null
  return { kind: 'claim', claim: claim.id, found: foundIn(texts, claim), answered: laterThan(database, item) !== null }
}

/** The whole text by its hash, not a prefix of it (G4). */
function foundIn(texts: readonly string[], claim: WatchedClaim): ClaimFact['found'] {
  const marks = texts.flatMap((text) => findMarks(text).filter((mark) => mark.claim === claim.id))
  if (marks.some(({ text }) => text !== null && sha256(text) === claim.textHash)) return 'whole'
  // cut before the line of the mark ends; another claim's id may begin like this one's
  const begins = [`${MARK_START}${claim.id} `, `${MARK_START}${claim.id}]`]
  return marks.length > 0 || texts.some((text) => begins.some((begin) => text.includes(begin))) ? 'cut' : 'replaced'
}

/** Reads that were followed by a text of the model: a call alone may be of the same reply (G19). */
function readFacts(database: T3Database, threads: readonly string[], look: HostLook): readonly ReadFact[] {
  const facts: ReadFact[] = []
  for (const { item, call, paths } of itemReads(database, threads, look)) {
    if (laterThan(database, item) !== 'text') continue
    for (const path of paths) facts.push({ kind: 'read', path, call })
  }
  return facts
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
