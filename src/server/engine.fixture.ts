/** An engine for tests of the server alone: it answers as it is told and remembers what it was asked. */
import { id, type DeliveryId, type EntryId } from '../core/id.ts'
import type { Health, MomentAnswer, MomentRequest } from '../engine/engine.ts'
import type { Logbook, OpenedEngine } from '../engine/logbook.ts'
import { newReport } from '../report/build.ts'
import type { LogFilter, LoggedMoment } from '../state.ts'

export const NOTHING: MomentAnswer = { ok: true, answer: { status: 204 }, delivery: null }

export function served(delivery: string, body: object = { hello: 'agent' }): MomentAnswer {
  return { ok: true, answer: { status: 200, body }, delivery: id<DeliveryId>(delivery) }
}

/** A row of the log, with what a test says. */
export function logged(number: number, more: Partial<LoggedMoment> = {}): LoggedMoment {
  return {
    number,
    delivery: id(`d${number}`),
    context: id('claude-code/s1'),
    harness: 'claude-code',
    version: null,
    session: id('s1'),
    thread: id('t1'),
    run: id('r1'),
    joining: 'standalone',
    kind: 'before-tool',
    event: 'PreToolUse',
    tool: 'shell',
    seq: number,
    epoch: 0,
    wave: 1,
    outcome: 'nothing',
    why: null,
    bytes: 0,
    at: 1_000 * number,
    ms: { total: 1, match: 0, evidence: 0 },
    candidates: [],
    gates: [],
    ...more,
  }
}

export type ToldEngine = Omit<OpenedEngine, 'logbook'> & {
  /** A test may replace a call. */
  readonly logbook: { -readonly [Call in keyof Logbook]: Logbook[Call] }
  readonly asked: MomentRequest[]
  readonly settled: { readonly delivery: string; readonly outcome: string }[]
  readonly notAnalysed: { readonly harness: string; readonly why: string }[]
  readonly missed: { readonly harness: string; readonly cause: string; readonly times: number }[]
  readonly wishes: object[]
  /** Replaces rows of the same number, tells the listeners. */
  write(row: LoggedMoment): void
  /** Resolves when something was settled, at once if it was already. */
  settledOnce(): Promise<void>
  isClosed: boolean
}

export function tellEngine(answer: (request: MomentRequest) => Promise<MomentAnswer> | MomentAnswer = () => NOTHING): ToldEngine {
  const rows: LoggedMoment[] = []
  /** Numbers of those that were written again. */
  const completed: number[] = []
  const listeners = new Set<() => void>()
  const waiting: (() => void)[] = []
  let offUntil: Health['offUntil'] = null
  let state: Health['state'] = 'serving'
  const engine: ToldEngine = {
    asked: [],
    settled: [],
    notAnalysed: [],
    missed: [],
    wishes: [],
    isClosed: false,
    async moment(request) {
      engine.asked.push(request)
      return await answer(request)
    },
    evidence: () => 'unknown',
    settleSoon: (delivery, outcome) => void engine.settle(delivery, outcome),
    settle(delivery, outcome) {
      if (delivery === 'unknown') return 'unknown'
      if (delivery === 'late') return 'late'
      engine.settled.push({ delivery, outcome })
      for (const wake of waiting.splice(0)) wake()
      return 'settled'
    },
    countNotAnalysed: (harness, why) => void engine.notAnalysed.push({ harness, why }),
    countMissed: (harness, missed) => void engine.missed.push(...missed.map((each) => ({ harness, ...each }))),
    health: () => ({
      state,
      offUntil,
      version: '0.0.0',
      startedAt: 0,
      problems: [{ code: 'x', severity: 'warning', message: 'a secret place', cure: 'c' }],
      stores: [{ name: 'rules', folder: '/home/dev/rules', entries: 2 }],
      counters: { moments: 3 },
    }),
    log: (filter) => select(rows, filter),
    onLog(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    entries: () => [{ id: id<EntryId>('rules/commit'), title: 'Commit', file: '/home/dev/rules/commit.md', store: 'rules' }],
    readable: () => [],
    off(until) {
      state = 'off'
      offUntil = until
      engine.wishes.push({ off: until })
    },
    on() {
      state = 'serving'
      offUntil = null
      engine.wishes.push({ on: true })
    },
    lift(entry, thread) {
      engine.wishes.push({ lift: entry, thread })
      return 2
    },
    logbook: tellLogbook(
      (filter) => engine.log(filter),
      completed,
      (wish) => engine.wishes.push(wish),
    ),
    drain: async () => {},
    close: async () => {
      engine.isClosed = true
    },
    write(row) {
      const index = rows.findIndex(({ number }) => number === row.number)
      if (index === -1) rows.push(row)
      else rows[index] = row
      if (index !== -1) completed.push(row.number)
      for (const listener of listeners) listener()
    },
    settledOnce: () => (engine.settled.length > 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  }
  return engine
}

function tellLogbook(
  log: (filter: LogFilter) => readonly LoggedMoment[],
  completed: readonly number[],
  wish: (wish: object) => void,
): ToldEngine['logbook'] {
  return {
    log: async (filter) => log(filter),
    completed: async (from) => {
      const numbers = new Set(completed.slice(from ?? completed.length))
      return { rows: log({}).filter(({ number }) => numbers.has(number)), next: completed.length }
    },
    report: async (since) => newReport().report({ since, until: 2_000, inForce: [id<EntryId>('rules/commit')], missed: [] }),
    threads: (limit) => [THREAD].slice(0, limit),
    forget: async (thread) => {
      wish({ forget: thread })
      return thread === THREAD.thread
    },
    check: async () => [{ code: 'state_miscounted', severity: 'error', message: 'It counts wrong.', cure: 'Move it away.' }],
    totals: () => null,
    file: () => 'one',
  }
}

const THREAD: ReturnType<Logbook['threads']>[number] = {
  thread: id('t1'),
  harness: 'claude-code',
  sessions: 1,
  seenAt: 1_000,
  runs: 2,
  moments: 40,
  denied: 3,
  bytes: 1_234,
}

function select(
  rows: readonly LoggedMoment[],
  { after = 0, newest, limit = 1_000, thread, since = 0, outcome }: LogFilter,
): readonly LoggedMoment[] {
  const hasOutcome = (row: LoggedMoment) => row.outcome === outcome || row.candidates.some((each) => each.outcome === outcome)
  const found = rows
    .filter((row) => row.number > after && row.at >= since && (thread === undefined || row.thread === thread))
    .filter((row) => outcome === undefined || hasOutcome(row))
    .toSorted((a, b) => a.number - b.number)
  return (newest === true ? found.toReversed() : found).slice(0, limit)
}
