/**
 * Streams the log: each row as it is written, and again when a verdict or a gate completes it.
 *
 * Two kinds of events, both with the whole row as JSON: `moment` for a new row, `verdict` for one that was sent before. The event's
 * id is the row's number for new rows only, so that a client that comes back goes on behind the newest row.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { SSEStreamingApi } from 'hono/streaming'
import type { OpenedEngine } from '../engine/logbook.ts'
import type { LogFilter, LoggedMoment } from '../state.ts'

/** Proxies and dead connections: a comment now and then shows both sides that the other one is there. */
const PING_MS = 15_000
/** Rows read from the log at once. */
const BATCH_ROWS = 200
/** The last rows that were sent are watched for verdicts and gates; few enough that one look costs about a millisecond. */
const WATCHED_ROWS = 100
/** More than are watched: a row that was sent out of its turn pushes no watched one out. */
const REMEMBERED_ROWS = 2 * WATCHED_ROWS
/** Between two looks of a follower, times the number of all: a look takes some 10 ms, in which no moment is answered. */
const LOOK_EVERY_MS = 200
/** Where an outcome is asked for, a row may get it long after it was written: so far back it is looked for. */
const LATE_NUMBERS = 2_000

/** Moments come in between the looks of two followers. */
const BETWEEN_MS = 10

/** Those who follow one server's log: rung together they look one after the other, and the less often the more they are. */
export class Followers {
  count = 0
  #looks: Promise<void> = Promise.resolve()

  /** Of a follower, until it looks again. */
  get restMs(): number {
    return LOOK_EVERY_MS * this.count
  }

  /** Resolves when it is one's turn to look. */
  turn(): Promise<void> {
    this.#looks = this.#looks.then(() => pause(BETWEEN_MS))
    return this.#looks
  }
}

export interface Follow {
  readonly stream: SSEStreamingApi
  readonly engine: OpenedEngine
  readonly filter: LogFilter
  readonly closing: AbortSignal
  /** Of the same server. */
  readonly followers: Followers
  readonly first: readonly LoggedMoment[]
  /** The number that the client has already, or 0. */
  readonly after: number
}

/** Resolves when the client hung up or the server closes. Writes one row at a time: a slow client holds up itself only. */
export async function followLog({ stream, engine, filter, closing, followers, first, after }: Follow): Promise<void> {
  let last = Math.max(after, newestNumber(engine, first))
  // rows that the first ones passed over may get their outcome later
  const begin = first[0]?.number ?? last
  const sent = new Map<number, string>()
  const bell = newBell()
  const stopListening = engine.onLog(bell.ring)
  const pings = setInterval(() => void stream.write(': ping\n\n'), PING_MS)
  const end = () => bell.ring()
  closing.addEventListener('abort', end)
  stream.onAbort(end)
  followers.count += 1

  try {
    await stream.write(': following\n\n')
    for (const row of first) await sendNew(row)
    while (!closing.aborted && !stream.aborted && !stream.closed) {
      await sendVerdicts()
      const rows = await engine.logbook.log({ ...filter, after: last, limit: BATCH_ROWS })
      for (const row of rows) await sendNew(row)
      if (rows.length === BATCH_ROWS) continue
      await sendLate()
      await bell.rung()
      await rest()
    }
  } finally {
    followers.count -= 1
    clearInterval(pings)
    stopListening()
    closing.removeEventListener('abort', end)
  }

  /** What comes meanwhile is read in one look. */
  async function rest(): Promise<void> {
    const isOver = () => closing.aborted || stream.aborted || stream.closed
    const until = performance.now() + followers.restMs
    while (!isOver() && performance.now() < until) await pause(Math.min(LOOK_EVERY_MS, until - performance.now()))
    if (!isOver()) await followers.turn()
  }

  async function sendNew(row: LoggedMoment): Promise<void> {
    last = Math.max(last, row.number)
    await stream.writeSSE({ event: 'moment', id: String(row.number), data: remembered(row) })
  }

  /** Rows that were passed over, and that a verdict has made into what is asked for. Without an id: who comes back goes on behind the newest. */
  async function sendLate(): Promise<void> {
    if (filter.outcome === undefined) return
    const from = Math.max(begin, last - LATE_NUMBERS)
    const rows = await engine.logbook.log({ ...filter, after: from, newest: true, limit: WATCHED_ROWS })
    for (const row of rows.toReversed()) {
      if (row.number < last && !sent.has(row.number)) await stream.writeSSE({ event: 'moment', data: remembered(row) })
    }
  }

  function remembered(row: LoggedMoment): string {
    const data = JSON.stringify(row)
    sent.set(row.number, data)
    const [oldest] = sent.keys()
    if (sent.size > REMEMBERED_ROWS && oldest !== undefined) sent.delete(oldest)
    return data
  }

  async function sendVerdicts(): Promise<void> {
    const [oldest] = sent.keys()
    if (oldest === undefined) return
    for (const row of await engine.logbook.log({ ...filter, after: oldest - 1, limit: WATCHED_ROWS })) {
      const data = JSON.stringify(row)
      if (!sent.has(row.number) || sent.get(row.number) === data) continue
      sent.set(row.number, data)
      await stream.writeSSE({ event: 'verdict', data })
    }
  }
}

/** Where to go on. Without first rows that is the end of the whole log, so that nothing of the past is sent. */
function newestNumber(engine: OpenedEngine, first: readonly LoggedMoment[]): number {
  return first.at(-1)?.number ?? engine.log({ newest: true, limit: 1 })[0]?.number ?? 0
}

/** Rings that come while nobody waits are kept, as one. */
function newBell() {
  let isRung = false
  let wake: (() => void) | null = null
  return {
    ring: (): void => {
      isRung = true
      wake?.()
    },
    rung: async (): Promise<void> => {
      if (!isRung) await new Promise<void>((resolve) => (wake = resolve))
      isRung = false
      wake = null
    },
  }
}
