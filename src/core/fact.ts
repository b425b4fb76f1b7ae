/**
 * Facts: what was read from the records of a harness or a host. Judgement about them is the core's.
 */
import type { CallId, ClaimId, Millis } from './id.ts'

/** What stands at the place where a claim's text was put. */
export interface ClaimFact {
  readonly kind: 'claim'
  readonly claim: ClaimId
  /**
   * `whole`: the text between the claim's marks has the claim's hash. `cut`: its mark stands there, the whole text does not.
   * `replaced`: the place is finished and something else stands in it. `absent`: the place is finished and empty.
   */
  readonly found: 'whole' | 'cut' | 'replaced' | 'absent'
  /** The model wrote something after a request that held the text (or, for replaced and absent, that held the finished place). */
  readonly answered: boolean
  /** The host's record says otherwise. The records of the harness count; the log names it. */
  readonly contradicted?: true
  /** Read from the host's record, which says nothing about whether the harness keeps records. */
  readonly byHost?: true
}

/** A file was read or written whole, and the model answered to the result (law 12). */
export interface ReadFact {
  readonly kind: 'read'
  /** The watched file, as the watch named it. */
  readonly path: string
  readonly call: CallId
}

/** The model's reply that made the watched call, with all of its calls: what belongs to one wave where no moment tells its end. */
export interface CalledFact {
  readonly kind: 'called'
  readonly call: CallId
  readonly calls: readonly CallId[]
}

/** The conversation was compacted; `mark` names this compaction in the records. */
export interface CompactedFact {
  readonly kind: 'compacted'
  readonly mark: string
}

/** Claims whose text the latest answered request no longer holds, although an earlier one did: a rewind, a rollback, a clear. */
export interface GoneFact {
  readonly kind: 'gone'
  readonly claims: readonly ClaimId[]
}

/** Claims (by mark) whose text stands whole in the latest request: what a resume or a fork starts from. */
export interface HeldFact {
  readonly kind: 'held'
  readonly claims: readonly ClaimId[]
}

/** The session has no records, or none that can be read. */
export interface NoRecordsFact {
  readonly kind: 'no-records'
  /**
   * Where the host's record can tell of denied calls: the claims of which it does not. Only these are given up, and only their gates lift
   * as assumed.
   */
  readonly hopeless?: readonly ClaimId[]
  /** Where the harness tells when the calls of a reply are done: claims from this moment of the context on are still of an open wave. */
  readonly answeredSeq?: number
}

/** The harness let something pass without us, or against us. Counted for health, so each is told once. */
/** `starting`: a hook had just started the server. */
export const MISSED_CAUSES = ['timed-out', 'refused', 'bad-answer', 'cancelled', 'starting', 'ran-although-denied'] as const

export interface MissedFact {
  readonly kind: 'missed'
  readonly cause: (typeof MISSED_CAUSES)[number]
  readonly call: CallId | null
  /** As the record says; absent where it does not. */
  readonly at?: Millis
}

export type Fact = ClaimFact | ReadFact | CalledFact | CompactedFact | GoneFact | HeldFact | NoRecordsFact | MissedFact
