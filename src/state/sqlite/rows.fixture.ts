/** Rows for the tests of the state: one moment with all that a step may write. */
import type { Claim } from '../../core/claim.ts'
import { newContext, type ContextState } from '../../core/context.ts'
import {
  contextIdOf,
  id,
  type ClaimId,
  type ContextId,
  type DeliveryId,
  type EntryId,
  type RunId,
  type SessionId,
  type TextHash,
  type ThreadId,
} from '../../core/id.ts'
import type { CandidateRow } from '../../core/row.ts'
import type { ThreadState } from '../../host.ts'
import type { State, Step } from '../../state.ts'

export const SESSION = id<SessionId>('session-1')
export const CONTEXT = contextIdOf('claude-code', SESSION, null)
export const RUN = id<RunId>('run-1')
const HASH = id<TextHash>('a'.repeat(64))

type MomentStep = NonNullable<Step<unknown>['moment']>

export function momentRow(delivery: string, changes: Partial<MomentStep> = {}): MomentStep {
  return {
    delivery: id<DeliveryId>(delivery),
    context: CONTEXT,
    harness: 'claude-code',
    version: '2.1.332',
    session: SESSION,
    thread: id<ThreadId>('thread-1'),
    run: RUN,
    joining: 'standalone',
    kind: 'before-tool',
    event: 'PreToolUse',
    tool: 'shell',
    seq: 1,
    epoch: 0,
    wave: 1,
    outcome: 'nothing',
    holdout: false,
    why: null,
    bytes: 0,
    at: 1_000,
    ms: { total: 1.25, match: 0.5, evidence: 0 },
    candidates: [],
    answer: null,
    ...changes,
  }
}

export function candidateRow(changes: Partial<CandidateRow> = {}): CandidateRow {
  return {
    entry: id<EntryId>('team/commits'),
    entryHash: HASH,
    outcome: 'known',
    claim: null,
    lane: 'rules',
    bytes: 0,
    item: 0,
    ...changes,
  }
}

export function threadState(changes: Partial<ThreadState> = {}): ThreadState {
  return { session: SESSION, thread: id<ThreadId>('thread-1'), run: RUN, runs: 1, phase: 'running', ...changes }
}

export function openClaim(claim: string, delivery: string, changes: Partial<Claim> = {}): Claim {
  return {
    id: id<ClaimId>(claim),
    delivery: id<DeliveryId>(delivery),
    entry: id<EntryId>('team/commits'),
    entryHash: HASH,
    textHash: HASH,
    form: 'text',
    role: 'plain',
    lane: 'rules',
    bytes: 100,
    run: RUN,
    epoch: 0,
    wave: 1,
    seq: 1,
    place: { moment: 'before-tool', event: 'PreToolUse', call: null, way: 'context' },
    state: 'reserved',
    at: 1_000,
    recordsFrom: 0,
    failedLooks: 0,
    isWatched: false,
    ...changes,
  }
}

export function contextState(changes: Partial<ContextState> = {}): ContextState {
  return { ...newContext(changes.id ?? CONTEXT, 1_000), ...changes }
}

/** Logs one moment of the context, with nothing else. */
export function logMoment(state: State, row: MomentStep, context: ContextId = row.context): void {
  state.update({ context, session: row.session, delivery: row.delivery }, () => ({ moment: row, result: null }))
}

/** A step as the engine takes it: the moment, a claim of 100 bytes in the context, and its candidate. */
export function serve(state: State, delivery: string, at = 1_000): void {
  const claim = openClaim(`${delivery}.1`, delivery)
  state.update({ context: CONTEXT, session: SESSION, delivery: claim.delivery }, ({ context }) => ({
    context: { ...(context ?? contextState()), claims: [claim], seenAt: at },
    thread: threadState(),
    moment: momentRow(delivery, {
      at,
      outcome: 'served',
      bytes: 100,
      candidates: [candidateRow({ outcome: 'served', claim: claim.id, form: claim.form, bytes: 100 })],
      answer: `answer to ${delivery}`,
    }),
    claims: (context?.claims ?? []).map((open) => ({ claim: open.id, verdict: 'shown' as const, why: null, at })),
    result: null,
  }))
}
