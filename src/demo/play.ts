/**
 * Plays a recorded session: posts each event to the real server, writes the session file as the program wrote it, and reads back from
 * the log what became of everything.
 */
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { withServer, type Connection } from '../cli/connection.ts'
import { LogAnswer, type LogRow } from '../cli/log-row.ts'
import { textIn, type Json } from '../harness/json.ts'
import { bytesOf } from '../core/text.ts'
import { openHook } from './hook.ts'
import type { Place } from './place.ts'
import { Placeholders } from './placeholders.ts'
import type { Recording, Step } from './recording.ts'

/** All that a demo ever logs, and more. */
const ALL_ROWS = '/log?limit=1000'

export interface Played {
  readonly step: Step
  readonly event: Json
  /** The moment's row as it was when it was answered; null if it was not logged. */
  readonly row: LogRow | null
  /** What was proven by the records that followed, with the number of the step that it is about. */
  readonly proven: readonly Proven[]
  /** UTF-8 bytes that the agent was given: texts, and the reasons of denies. */
  readonly given: number
}

export interface Proven {
  readonly step: number
  readonly candidates: LogRow['candidates']
  readonly gates: LogRow['gates']
}

/** Ends early when `signal` says so. */
export async function* play(recording: Recording, place: Place, signal: AbortSignal): AsyncGenerator<Played> {
  const hook = openHook(place.server.address, recording.harness, place.token)
  const placeholders = new Placeholders({ home: recording.home, root: place.root, startsAt: Date.now() })
  const log = await openLog(place)
  try {
    for (const step of recording.steps) {
      if (signal.aborted) return
      const event = placeholders.event(step.event)
      const answered = await hook.post(event)
      placeholders.answered(step.number, answered)
      const row = await log.newRow(step.number)
      write(
        event,
        step.records.map((record) => placeholders.record(record)),
      )
      yield { step, event, row, proven: await log.proven(), given: bytesOf(answered.answer) + bytesOf(answered.reason) }
    }
  } finally {
    hook.close()
  }
}

export async function readLog(place: Place): Promise<readonly LogRow[]> {
  const connection = await connect(place)
  return LogAnswer.parse(await connection.get(ALL_ROWS)).moments
}

/** Into the session file that the event names. */
function write(event: Json, records: readonly Json[]): void {
  const file = textIn(event['transcript_path'])
  if (file === null || records.length === 0) return
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
}

interface Log {
  /** The row of the event that was just answered. */
  newRow(step: number): Promise<LogRow | null>
  /** What changed since, once all records are read. */
  proven(): Promise<readonly Proven[]>
}

async function openLog(place: Place): Promise<Log> {
  const connection = await connect(place)
  const seen = new Map<number, { readonly step: number; row: LogRow }>()
  const read = async (path: string): Promise<readonly LogRow[]> => LogAnswer.parse(await connection.get(path)).moments
  return {
    async newRow(step) {
      const [row] = await read(`/log?limit=10&after=${Math.max(0, ...seen.keys())}`)
      if (row === undefined) return null
      seen.set(row.number, { step, row })
      return row
    },
    async proven() {
      // asking for the log starts a look at the records
      await read('/log?limit=1')
      await place.server.engine.drain()
      return (await read(ALL_ROWS)).flatMap((row) => {
        const known = seen.get(row.number)
        if (known === undefined) return []
        const candidates = row.candidates.filter(
          ({ entry, outcome }) => known.row.candidates.find((other) => other.entry === entry)?.outcome !== outcome,
        )
        const gates = row.gates.slice(known.row.gates.length)
        known.row = row
        return candidates.length + gates.length === 0 ? [] : [{ step: known.step, candidates, gates }]
      })
    },
  }
}

function connect(place: Place): Promise<Connection> {
  return withServer({ stdout: process.stdout, stderr: process.stderr, env: place.env })
}
