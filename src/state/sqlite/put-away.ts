/** Puts steps that wait into their tables, within a transaction that the caller holds. */
import type { ContextId, SessionId } from '../../core/id.ts'
import type { CandidateRow, ClaimRow, GateRow } from '../../core/row.ts'
import type { ObedienceRow, Step } from '../../state.ts'
import type { Batch, StoredStep } from './batch.ts'
import type { Statements } from './statements.ts'

type MomentStep = NonNullable<Step<unknown>['moment']>

/** A step that stands in its tables, and the claims that got their verdict by it. */
export interface PutAway {
  readonly step: StoredStep
  readonly judged: readonly ClaimRow[]
}

export function putAway(statements: Statements, batches: readonly Batch[]): readonly PutAway[] {
  const table = new Tables(statements)
  const done = batches.flatMap(({ steps }) => steps).map((step) => table.put(step))
  for (const { contexts, threads } of batches) {
    for (const [context, { session, state }] of contexts) table.contexts.set(context, { session, state })
    for (const [session, thread] of threads) table.threads.set(session, thread)
  }
  table.putStates()
  return done
}

interface Counts {
  moments: number
  denied: number
  bytes: number
}

class Tables {
  readonly contexts: Batch['contexts'] = new Map()
  readonly threads: Batch['threads'] = new Map()
  readonly #statements: Statements
  readonly #lastMoments = new Map<ContextId, number>()
  readonly #counts = new Map<SessionId, Counts>()

  constructor(statements: Statements) {
    this.#statements = statements
  }

  put(step: StoredStep): PutAway {
    const { context, session, moment, claims = [], gates = [], obedience = [] } = step
    if (moment !== undefined) {
      const number = this.#addMoment(moment)
      // it stands in the log already: what it gives was written with it
      if (number === null) return { step, judged: [] }
      this.#lastMoments.set(context, number)
      if (step.hasThread) this.#count(session, moment)
    }
    const judged = claims.filter((row) => this.#isJudgedNow(row))
    this.#addGates(gates, moment === undefined ? null : (this.#lastMoments.get(context) ?? null))
    for (const row of obedience) this.#putObedience(row, context)
    return { step, judged }
  }

  /** The last state of each context and thread. */
  putStates(): void {
    const { putContext, putThread } = this.#statements
    for (const [context, { session, state }] of this.contexts) {
      const last = this.#lastMoments.get(context) ?? null
      putContext.run(context, session, JSON.stringify(state), state.claims.length, last, state.seenAt)
    }
    for (const [session, { state, at }] of this.threads) {
      const { moments, denied, bytes } = this.#counts.get(session) ?? NO_COUNTS
      putThread.run(session, JSON.stringify(state), at, state.thread, state.runs, moments, denied, bytes)
    }
  }

  /** Gives the row's number; null for a delivery that stands in the log. */
  #addMoment(row: MomentStep): number | null {
    const { candidates, ms, holdout, ...columns } = row
    const times = { ms_total: ms.total, ms_match: ms.match, ms_evidence: ms.evidence }
    const added = this.#statements.addMoment.run({ ...columns, ...times, holdout: Number(holdout ?? false) })
    if (added.changes === 0) return null
    const number = Number(added.lastInsertRowid)
    candidates.forEach((candidate, position) => this.#addCandidate(number, position, candidate))
    return number
  }

  #addCandidate(moment: number, position: number, row: CandidateRow): void {
    const { entry, entryHash, outcome, claim, form = null, lane, bytes, item } = row
    this.#statements.addCandidate.run(moment, position, entry, entryHash, outcome, claim, form, lane, bytes, item)
  }

  /** The thread's counters grow with the moment, so that listing threads reads no log. */
  #count(session: SessionId, { outcome, bytes }: MomentStep): void {
    const before = this.#counts.get(session) ?? NO_COUNTS
    const denied = before.denied + (outcome === 'denied' ? 1 : 0)
    this.#counts.set(session, { moments: before.moments + 1, denied, bytes: before.bytes + bytes })
  }

  /** False if the claim had its verdict, or its row is gone. */
  #isJudgedNow({ verdict, why, at, claim }: ClaimRow): boolean {
    return this.#statements.judgeClaim.run(verdict, why, at, claim).changes > 0
  }

  /** A gate that lifts between two moments, by evidence or by hand, is told with the last moment of its context. */
  #addGates(rows: readonly GateRow[], moment: number | null): void {
    for (const { context, entry, lift, at } of rows) {
      const last = () => this.#lastMoments.get(context) ?? this.#statements.lastMomentOf.get(context)?.['last_moment'] ?? null
      this.#statements.addGate.run(moment ?? last(), context, entry, lift, at)
    }
  }

  #putObedience({ claim, entry, run, verdict, at }: ObedienceRow, context: ContextId): void {
    this.#statements.putObedience.run(claim, entry, run, context, verdict, at)
  }
}

const NO_COUNTS: Readonly<Counts> = { moments: 0, denied: 0, bytes: 0 }
