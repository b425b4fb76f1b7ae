/**
 * What people ask of the log: pages, reports, threads, forgetting, a check.
 *
 * Whatever takes longer than a few milliseconds is done in slices with a turn of the event loop between them, or by another thread,
 * so that no moment waits behind a person's question. Without a state all answers are empty.
 */
import type { EntryId, Millis, ThreadId } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import { newReport } from '../report/build.ts'
import type { Report } from '../report/report.ts'
import type { LogFilter, LoggedMoment, MissedTally, State, TallyCursor, ThreadSummary, Totals } from '../state.ts'
import type { Engine } from './engine.ts'

/** Read one by one: each takes some 50 µs. */
const ROWS_A_TURN = 50

export interface Logbook {
  /** As `Engine.log`, however rare the rows are and however long the log is. */
  log(filter: LogFilter & { readonly limit: number }): Promise<readonly LoggedMoment[]>
  /** Rows that were written earlier and gained a verdict or a gate since. `from`: the `next` of the last answer; null: from now on. */
  completed(from: number | null): Promise<{ readonly rows: readonly LoggedMoment[]; readonly next: number }>
  report(since: Millis): Promise<Report>
  threads(limit: number): readonly ThreadSummary[]
  /** Deletes what belongs to a thread. False if there is nothing of it. */
  forget(thread: ThreadId): Promise<boolean>
  /** Tells the file that the log is in from another one that took its place; null while there is none. */
  file(): string | null
  /** Finds what is inconsistent in the state. Empty: all is well. */
  check(): Promise<readonly Problem[]>
  /** Counted since the start; null without a state. */
  totals(): { readonly totals: Totals; readonly size: number; readonly missed: readonly MissedTally[] } | null
}

/** An engine together with its log. */
export type OpenedEngine = Engine & { readonly logbook: Logbook }

export interface LogbookOptions {
  /** Null while there is none that can be used. */
  readonly state: () => State | null
  /** Looks through the state file from another thread. */
  readonly checkFile: () => Promise<readonly Problem[]>
  /** Releases what nobody settled: it is told as such in the log (law 3). */
  readonly sweep: () => void
  readonly entriesInForce: () => readonly EntryId[]
  readonly now: () => Millis
}

export function openLogbook({ state: stateNow, checkFile, sweep, entriesInForce, now }: LogbookOptions): Logbook {
  return {
    async log({ limit, ...filter }) {
      const rows: LoggedMoment[] = []
      let next: number | null = null
      const state = stateNow()
      if (state === null) return rows
      sweep()
      do {
        const page = state.logPage({ ...filter, ...(next !== null && from(filter, next)), limit: limit - rows.length })
        rows.push(...page.rows)
        next = page.next
        if (next !== null && rows.length < limit) await turn()
      } while (next !== null && rows.length < limit)
      return rows
    },
    async completed(from) {
      const rows: LoggedMoment[] = []
      const state = stateNow()
      if (state === null) return { rows, next: from ?? 0 }
      const { moments, next } = state.completed(from)
      for (const [index, number] of moments.entries()) {
        // one that is gone by now is passed over
        const row = state.logPage({ after: number - 1, limit: 1 }).rows[0]
        if (row?.number === number) rows.push(row)
        if (index % ROWS_A_TURN === ROWS_A_TURN - 1) await turn()
      }
      return { rows, next }
    },
    file: () => stateNow()?.identity() ?? null,
    async report(since) {
      const report = newReport()
      const state = stateNow()
      sweep()
      let cursor: TallyCursor | null = null
      do {
        const slice: ReturnType<State['tally']> | undefined = state?.tally(since, cursor)
        if (slice === undefined) break
        report.add(slice.tally)
        cursor = slice.next
        if (cursor !== null) await turn()
      } while (cursor !== null)
      return report.report({ since, until: now(), inForce: entriesInForce(), missed: state?.missed(since) ?? [] })
    },
    threads: (limit) => stateNow()?.threads({ limit }) ?? [],
    async forget(thread) {
      const state = stateNow()
      if (state === null || state.threads({ thread, limit: 1 }).length + state.log({ thread, limit: 1 }).length === 0) return false
      while (state.forget(thread)) await turn()
      return true
    },
    check: async () => (stateNow() === null ? [] : await checkFile()),
    totals() {
      const state = stateNow()
      return state === null ? null : { totals: state.totals(), size: state.size(), missed: state.missed(0) }
    },
  }
}

function from(filter: LogFilter, next: number): { readonly before: number } | { readonly after: number } {
  return filter.newest === true ? { before: next } : { after: next }
}

/** Lets what came meanwhile go first. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
