/** What the state costs a moment: p50 and p99 of one `update`, with a log that grows, and the pauses of pruning. `npm run bench -- --state` */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Claim } from '../src/core/claim.ts'
import { newContext, type ContextState } from '../src/core/context.ts'
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
import { openCheckpoints } from '../src/state/sqlite/checkpoint-thread.ts'
import { openSqliteState } from '../src/state/sqlite/state.ts'
import type { State, Step } from '../src/state.ts'

const SESSIONS = 20
const OPEN_CLAIMS = 4
const KNOWN = 25

const hash = id<TextHash>('0123456789abcdef'.repeat(4))
const run = id<RunId>('run-1')

/** Moments that are put away together. */
const TOGETHER = 32
/** Calls of a wave, in one transaction. */
const WAVE = 48

/** Prints as it goes. */
export async function printState(moments: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-bench-'))
  let clock = 1_000_000
  const file = join(folder, 'state.sqlite')
  const state = openSqliteState({ file, lockFile: join(folder, 'lock'), now: () => clock })
  const checkpoints = openCheckpoints(file)
  const updates: number[] = []
  const putAways: number[] = []
  const elsewhere: number[] = []
  const here: number[] = []
  const write = (number: number): void => {
    clock += 10
    const { at, step } = momentOf(number, clock)
    state.update(at, ({ context }) => step(context))
  }
  for (let number = 0; number < moments; number++) {
    updates.push(timed(() => write(number)))
    if (number % TOGETHER === TOGETHER - 1) putAways.push(timed(() => state.putAway()))
    if (number % 500 !== 499) continue
    const from = performance.now()
    await checkpoints.run(state.identity())
    elsewhere.push(performance.now() - from)
    here.push(timed(() => state.checkpoint()))
  }
  const waves = Array.from({ length: Math.floor(moments / WAVE / 4) }, (_, wave) =>
    timed(() => {
      const commit = state.gather()
      for (let call = 0; call < WAVE; call++) write(moments + wave * WAVE + call)
      commit()
    }),
  )
  const quarter = Math.floor(moments / 4)
  console.log(line('update, first quarter', updates.slice(0, quarter)))
  console.log(line('update, last quarter', updates.slice(-quarter)))
  console.log(line(`put away, ${TOGETHER} moments`, putAways))
  console.log(line(`update, ${WAVE} in one turn`, waves))
  console.log(line('checkpoint of 500 moments, elsewhere', elsewhere))
  console.log(line('what is left of it for moments', here))
  console.log(
    line(
      'log, newest 50',
      Array.from({ length: 50 }, () => timed(() => state.log({ newest: true, limit: 50 }))),
    ),
  )
  console.log(
    line(
      'log, newest 50 of an outcome',
      Array.from({ length: 20 }, () => timed(() => state.log({ outcome: 'shown', newest: true, limit: 50 }))),
    ),
  )
  console.log(line('check', [timed(() => state.check())]))
  const pauses: number[] = []
  let more = true
  while (more) {
    const from = performance.now()
    more = state.prune({ answers: clock, log: clock + 1 })
    pauses.push(performance.now() - from)
    if (pauses.length % 20 === 0) await checkpoints.run(state.identity())
  }
  console.log(line('prune, one slice', pauses))
  await checkpoints.close()
  state.close()
  rmSync(folder, { recursive: true })
}

function momentOf(
  number: number,
  clock: number,
): {
  readonly at: Parameters<State['update']>[0]
  readonly step: (context: ContextState | null) => Step<null>
} {
  const session = id<SessionId>(`6f1c2b1e-0000-4000-8000-${String(number % SESSIONS).padStart(12, '0')}`)
  const context = contextIdOf('claude-code', session, null)
  const delivery = id<DeliveryId>(`claude-code/before-tool/toolu_${number.toString(36).padStart(20, '0')}`)
  const claim: Claim = {
    id: id<ClaimId>(`k${number.toString(36)}.1`),
    delivery,
    entry: id<EntryId>(`team/rule-${number % 40}`),
    entryHash: hash,
    textHash: hash,
    form: 'text',
    role: 'plain',
    lane: 'rules',
    bytes: 400,
    run,
    epoch: 0,
    wave: 1,
    seq: number,
    place: { moment: 'before-tool', event: 'PreToolUse', call: null, way: 'context' },
    state: 'settled',
    at: clock,
    recordsFrom: 0,
    failedLooks: 0,
    isWatched: false,
  }
  const step = (before: ContextState | null): Step<null> => {
    const was = before ?? newContext(context, clock)
    const known = Object.fromEntries(
      Array.from({ length: KNOWN }, (_, n) => [`team/rule-${n}`, { hash, by: 'shown' as const, claim: claim.id, run }]),
    )
    return {
      context: { ...was, seq: was.seq + 1, seenAt: clock, known, claims: [...was.claims, claim].slice(-OPEN_CLAIMS) },
      thread: { session, thread: id<ThreadId>(session), run, runs: 1, phase: 'running' },
      moment: {
        delivery,
        context,
        harness: 'claude-code',
        version: '2.1.332',
        session,
        thread: id<ThreadId>(session),
        run,
        joining: 'standalone',
        kind: 'before-tool',
        event: 'PreToolUse',
        tool: 'shell',
        seq: number,
        epoch: 0,
        wave: 1,
        outcome: 'served',
        why: null,
        bytes: 400,
        at: clock,
        ms: { total: 1.5, match: 0.2, evidence: 0 },
        answer: 'x'.repeat(600),
        candidates: [claim, { ...claim, id: null }].map((each) => ({
          entry: each.entry,
          entryHash: hash,
          outcome: 'served' as const,
          claim: each.id,
          lane: 'rules' as const,
          bytes: 400,
          item: 0,
        })),
      },
      claims: was.claims.length < OPEN_CLAIMS ? [] : [{ claim: was.claims[0]?.id ?? claim.id, verdict: 'shown', why: null, at: clock }],
      result: null,
    }
  }
  return { at: { context, session, delivery }, step }
}

function timed(work: () => void): number {
  const from = performance.now()
  work()
  return performance.now() - from
}

function line(name: string, times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number): string => ((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) * 1000).toFixed(0)
  return `${name.padEnd(38)} p50 ${at(0.5).padStart(6)} µs   p99 ${at(0.99).padStart(6)} µs   max ${at(1).padStart(6)} µs   (${times.length})`
}
