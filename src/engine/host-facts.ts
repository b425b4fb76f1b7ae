/**
 * The harness's records and the host's record as one: the records are the first source, the host's items the second.
 *
 * Items alone never show that the model answered: a later item and a later moment of the context must both say so.
 */
import type { Claim } from '../core/claim.ts'
import type { ContextState } from '../core/context.ts'
import type { ClaimFact, Fact, ReadFact } from '../core/fact.ts'
import type { ClaimId } from '../core/id.ts'
import type { Looked } from '../evidence/reader.ts'
import type { HostTold } from '../host.ts'

export const NOTHING_TOLD: HostTold = { facts: [], known: [] }

export interface Both {
  readonly facts: readonly Fact[]
  /** Claims on which the two disagree. */
  readonly contradicted: number
}

/** `answeredSeq`: number of the latest moment that only comes after an answer of the model. */
export function factsWithHost(context: ContextState, found: Looked, told: HostTold, answeredSeq: number): Both {
  if (told.facts.length === 0) return { facts: found.facts, contradicted: 0 }
  const ofClaim = new Map<ClaimId, ClaimFact>()
  for (const fact of told.facts) if (fact.kind === 'claim') ofClaim.set(fact.claim, fact)
  let contradicted = 0
  const facts = found.facts.map((fact): Fact => {
    if (fact.kind !== 'claim' || !fact.answered) return fact
    const other = ofClaim.get(fact.claim)
    ofClaim.delete(fact.claim)
    if (other === undefined || (other.found === 'whole') === (fact.found === 'whole')) return fact
    contradicted += 1
    return { ...fact, contradicted: true }
  })
  const claims = new Map(context.claims.map((claim) => [claim.id, claim]))
  for (const fact of ofClaim.values()) {
    const claim = claims.get(fact.claim)
    if (claim === undefined || !isHostsTurn(claim, found)) continue
    facts.push({ ...fact, byHost: true, answered: fact.answered && claim.seq < answeredSeq })
  }
  if (found.missing) facts.push(...told.facts.filter((fact) => fact.kind === 'read' && isAnswered(fact, context)))
  return { facts, contradicted }
}

/** The records can't be read, or all of them were read after a later answer and the text was not found. */
function isHostsTurn(claim: Claim, { missing, reachedEnd }: Looked): boolean {
  return missing || (reachedEnd && claim.failedLooks > 0)
}

/** A read of the wave that is still open is not answered, whatever stands behind it (G19). */
function isAnswered({ call }: ReadFact, { reads, wave }: ContextState): boolean {
  return !reads.some((read) => read.call === call && read.wave === wave.number && !wave.over)
}

/** Claims that the host's record was to prove, and whose call it does not know although the model has answered since. */
export function hopeless(context: ContextState, told: HostTold, answeredSeq: number): readonly ClaimId[] {
  return context.claims.flatMap(({ id, byHost, state, seq }) => {
    const isOver = byHost === true && state === 'settled' && seq < answeredSeq
    return isOver && !told.known.includes(id) ? [id] : []
  })
}
