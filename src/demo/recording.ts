/**
 * A recorded session: `examples/demo/session.jsonl`, written by `canary/record.ts` from the real program.
 *
 * Its lines are, in the order in which they happened: what was recorded; an event as a hook posted it; records that the program had
 * written to its session file by then. Texts of our server are placeholders there.
 */
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const json = z.record(z.string(), z.unknown())
const Head = z.object({ recording: z.object({ harness: z.string(), version: z.string(), home: z.string() }) })
const Line = z.union([z.object({ event: json }), z.object({ records: z.array(json) })])

export interface Step {
  /** Counts the events from 1. */
  readonly number: number
  readonly event: Readonly<Record<string, unknown>>
  /** What the program wrote to its session file after this event and before the next. */
  readonly records: readonly Readonly<Record<string, unknown>>[]
}

export interface Recording {
  readonly harness: string
  readonly version: string
  /** Home folder in its paths: the project is `project` in it, the store `rules`, the program's own files `.claude`. */
  readonly home: string
  readonly steps: readonly Step[]
}

/** Throws where the file is missing or not of this form: it is part of the package. */
export function readRecording(file: string): Recording {
  const [first = '', ...rest] = readFileSync(file, 'utf8').trimEnd().split('\n')
  const { recording } = Head.parse(JSON.parse(first))
  const steps: Step[] = []
  for (const text of rest) {
    const line = Line.parse(JSON.parse(text))
    if ('event' in line) {
      steps.push({ number: steps.length + 1, event: line.event, records: [] })
      continue
    }
    const last = steps.pop()
    // before its first event the program has no session file
    if (last !== undefined) steps.push({ ...last, records: [...last.records, ...line.records] })
  }
  return { ...recording, steps }
}
