/** What the demo's session puts before the model, against the same entries loaded at its start, as a rules file is. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openPlace } from '../src/demo/place.ts'
import { play } from '../src/demo/play.ts'
import { readRecording } from '../src/demo/recording.ts'
import { bytesOf } from '../src/core/text.ts'
import { sourceOf } from '../src/stores/source.ts'
import { count, table, times } from './table.ts'

const RULES = fileURLToPath(new URL('../examples/rules', import.meta.url))
const RECORDING = fileURLToPath(new URL('../examples/demo/session.jsonl', import.meta.url))

export interface SessionBytes {
  readonly moments: number
  readonly entries: number
  /** Texts with their marks, and reasons of denied calls. */
  readonly served: number
  /** Bodies of all entries, once at the start and again after each compaction. */
  readonly alwaysLoaded: number
}

export async function measureSessionBytes(): Promise<SessionBytes> {
  const place = await openPlace(RULES, '0.0.0')
  try {
    let served = 0
    let moments = 0
    let loads = 1
    for await (const { given, event } of play(readRecording(RECORDING), place, new AbortController().signal)) {
      moments += 1
      served += given
      if (event['source'] === 'compact') loads += 1
    }
    const files = place.server.engine.entries().map(({ file }) => file)
    const once = files.reduce((sum, file) => sum + bodyBytes(file), 0)
    return { moments, entries: files.length, served, alwaysLoaded: once * loads }
  } finally {
    await place.close()
  }
}

function bodyBytes(file: string): number {
  const source = sourceOf(readFileSync(file))
  return source.ok ? bytesOf(source.body) : 0
}

export function sessionBytesText({ moments, entries, served, alwaysLoaded }: SessionBytes): string {
  return table(
    [`the demo's session, ${moments} moments, ${entries} entries`, 'bytes', 'to served'],
    [
      ['served', count(served), times(1)],
      ['always loaded', count(alwaysLoaded), times(alwaysLoaded / served)],
    ],
  )
}
