/** Fills a state with moments as the engine writes them: each with a candidate that was served and judged, in many contexts. */
import { statSync } from 'node:fs'
import { newContext } from '../src/core/context.ts'
import {
  contextIdOf,
  id,
  type ClaimId,
  type DeliveryId,
  type EntryId,
  type RunId,
  type SessionId,
  type TextHash,
  type ThreadId,
} from '../src/core/id.ts'
import type { Paths } from '../src/paths.ts'
import { openSqliteState } from '../src/state/sqlite/state.ts'
import type { Findings } from './findings.ts'

const HASH = id<TextHash>('0123456789abcdef'.repeat(4))
const ENTRIES = 40
const SAY_EVERY = 250_000

export interface Fill {
  readonly moments: number
  readonly contexts: number
}

/** Gives the bytes of the file. Each moment is two rows: its own and its candidate's. */
export function fillState(paths: Paths, { moments, contexts }: Fill, findings: Findings): number {
  const now = Date.now()
  const state = openSqliteState({ file: paths.state, lockFile: paths.lock, now: () => now })
  try {
    for (let number = 0; number < moments; number += 1) {
      addMoment(state, number, number % contexts, now)
      if ((number + 1) % SAY_EVERY === 0) {
        state.checkpoint()
        findings.say(`${number + 1} moments written`)
      }
    }
    state.checkpoint()
    return statSync(paths.state).size
  } finally {
    state.close()
  }
}

function addMoment(state: ReturnType<typeof openSqliteState>, number: number, which: number, now: number): void {
  const session = id<SessionId>(`6f1c2b1e-0000-4000-8000-${String(which).padStart(12, '0')}`)
  const context = contextIdOf('claude-code', session, null)
  const thread = id<ThreadId>(`claude-code/${session}`)
  const run = id<RunId>(`${thread}#1`)
  const delivery = id<DeliveryId>(`${context}|toolu_${number.toString(36).padStart(20, '0')}`)
  const claim = id<ClaimId>(`${number.toString(16).padStart(10, '0')}.1`)
  const entry = id<EntryId>(`team/rule-${number % ENTRIES}`)
  const row = { entry, entryHash: HASH, outcome: 'served', claim, lane: 'rules', bytes: 400, item: 0 } as const
  state.update({ context, session, delivery }, ({ context: before }) => {
    const state = before ?? newContext(context, now)
    const known = { hash: HASH, by: 'shown', claim, run } as const
    return {
      context: { ...state, seq: state.seq + 1, seenAt: now, started: true, known: { ...state.known, [entry]: known } },
      thread: { session, thread, run, runs: 1, phase: 'running' },
      moment: {
        delivery,
        context,
        harness: 'claude-code',
        version: null,
        session,
        thread,
        run,
        joining: 'standalone',
        kind: 'before-tool',
        event: 'PreToolUse',
        tool: 'shell',
        seq: state.seq + 1,
        epoch: 0,
        wave: 1,
        outcome: 'served',
        why: null,
        bytes: 400,
        at: now,
        ms: { total: 2, match: 0.1, evidence: 0 },
        candidates: [row],
        answer: null,
      },
      claims: [{ claim, verdict: 'shown', why: null, at: now }],
      result: null,
    }
  })
}
