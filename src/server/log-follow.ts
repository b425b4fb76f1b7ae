/**
 * Streams the log to one who follows it: each row as it is written, and again when a verdict or a gate completes it.
 *
 * Two kinds of events, both with the whole row as JSON: `moment` for a new row, `verdict` for one that was sent before. The event's
 * id is the row's number for new rows only, so that a client that comes back goes on behind the newest row.
 *
 * What was written before is read from the log; from there on the news come from the look that all followers share.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { SSEStreamingApi } from 'hono/streaming'
import type { OpenedEngine } from '../engine/logbook.ts'
import type { LogFilter, LoggedMoment } from '../state.ts'
import { newBell } from './bell.ts'
import { BATCH_ROWS, BETWEEN_MS, newestNumber, type LogFeed } from './log-feed.ts'
import { matches } from './log-matches.ts'

/** Proxies and dead connections: a comment now and then shows both sides that the other one is there. */
const PING_MS = 15_000
/** Rows whose numbers are remembered, to tell a completed one from a new one: some 100 KB. An older one is not told again. */
const REMEMBERED_ROWS = 2_000
/** The last rows that are looked at again where it may be that they were completed unseen. */
const LOOKED_BACK_ROWS = 100

export interface Follow {
  readonly stream: SSEStreamingApi
  readonly engine: OpenedEngine
  readonly filter: LogFilter
  readonly closing: AbortSignal
  /** Of the same server. */
  readonly feed: LogFeed
  readonly first: readonly LoggedMoment[]
  /** The number that the client has already, or 0. */
  readonly after: number
}

/** Resolves when the client hung up or the server closes. A slow client holds up itself only. */
export async function followLog({ stream, engine, filter, closing, feed, first, after }: Follow): Promise<void> {
  const events = newEvents(filter, startOf(engine, first, after), first)
  const bell = newBell()
  // its own: the same function would be one member
  const wake = () => bell.ring()
  const looks = feed.join(wake)
  const pings = setInterval(() => void stream.write(': ping\n\n'), PING_MS)
  const isOver = () => closing.aborted || stream.aborted || stream.closed
  closing.addEventListener('abort', wake)
  stream.onAbort(wake)
  /** What was taken of the news; null: the log itself has to be read first. */
  let taken: number | null = null
  let { times } = looks

  try {
    await stream.write(': following\n\n')
    await send(first)
    while (!isOver()) {
      if (looks.times !== times) {
        times = looks.times
        taken = null
        events.beginAnew()
      }
      if (taken === null) {
        taken = looks.count
        await catchUp()
        continue
      }
      const news = looks.since(taken)
      if (news === null) {
        taken = null
        continue
      }
      taken += news.length
      await write(news.map(({ row, json }) => events.of(row, () => json)))
      if (news.length > 0) continue
      await bell.rung()
      await looks.turn()
    }
  } finally {
    looks.leave(wake)
    clearInterval(pings)
    closing.removeEventListener('abort', wake)
  }

  /** To the end of the log; then the last rows again, for what was completed while nobody looked. */
  async function catchUp(): Promise<void> {
    for (;;) {
      const rows = await engine.logbook.log({ ...filter, after: events.last, limit: BATCH_ROWS })
      await send(rows)
      if (isOver()) return
      if (rows.length < BATCH_ROWS) break
      await pause(BETWEEN_MS)
    }
    const again = await engine.logbook.log({ ...filter, after: events.begin - 1, newest: true, limit: LOOKED_BACK_ROWS })
    await send(again.toReversed())
  }

  async function send(rows: readonly LoggedMoment[]): Promise<void> {
    await write(rows.map((row) => events.of(row, () => JSON.stringify(row))))
  }

  async function write(texts: readonly string[]): Promise<void> {
    const text = texts.join('')
    if (text !== '') await stream.write(text)
  }
}

/** What one follower is told. `begin`: of the first rows; `last`: all up to this number was told. */
function newEvents(filter: LogFilter, startAt: number, first: readonly LoggedMoment[]) {
  let last = startAt
  // rows that the first ones passed over may get their outcome later
  let begin = first[0]?.number ?? startAt + 1
  /** What each row had when it was told, by its number. */
  const told = new Map<number, number>()

  function remember(row: LoggedMoment): void {
    told.set(row.number, completeness(row))
    const [oldest] = told.keys()
    if (told.size <= REMEMBERED_ROWS || oldest === undefined) return
    told.delete(oldest)
    begin = Math.max(begin, oldest + 1)
  }

  return {
    get last(): number {
      return last
    },
    get begin(): number {
      return begin
    },
    /** The log stands in another file now, whose rows have numbers of their own. */
    beginAnew(): void {
      last = 0
      begin = 0
      told.clear()
    },
    /** The event for this row as it is now, or nothing. */
    of(row: LoggedMoment, json: () => string): string {
      const before = told.get(row.number)
      if (before !== undefined) {
        if (completeness(row) <= before) return ''
        told.set(row.number, completeness(row))
        return `event: verdict\ndata: ${json()}\n\n`
      }
      if (!matches(row, filter)) return ''
      if (row.number > last) {
        last = row.number
        remember(row)
        return `event: moment\ndata: ${json()}\nid: ${row.number}\n\n`
      }
      // passed over, and a verdict has made it into what is asked for. Without an id: who comes back goes on behind the newest
      if (filter.outcome === undefined || row.number < begin) return ''
      remember(row)
      return `event: moment\ndata: ${json()}\n\n`
    },
  }
}

/** Grows with each verdict and each gate; a row gains nothing else. */
function completeness({ candidates, gates }: LoggedMoment): number {
  return gates.length + candidates.filter(({ verdictAt }) => verdictAt !== null).length
}

/** Behind what the client has; where it asked for nothing of the past, behind the newest. A log that began anew has no such number yet. */
function startOf(engine: OpenedEngine, first: readonly LoggedMoment[], after: number): number {
  const newest = newestNumber(engine)
  return first.length > 0 || (after > 0 && after < newest) ? after : newest
}
