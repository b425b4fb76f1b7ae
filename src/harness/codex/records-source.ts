/**
 * The records of one thread: its rollout file, and, of a fork, the file that it was forked from.
 *
 * A fork's file holds no copy of what it replays: its first line names the other thread, and the line at which it left it
 * (0.171.0, measured). The other file is read once, and only when it is asked what the conversation holds.
 */
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Watch } from '../../core/watch.ts'
import { RecordsFile, type Reading } from '../../evidence/records-file.ts'
import type { RecordsSource } from '../../harness.ts'
import { ordinalOf } from './records-line.ts'
import type { ReadsIn } from './records-reads.ts'
import { RolloutScan, type Origin } from './records-scan.ts'

/** A fork of a fork of a fork: further back nothing is looked for. */
const MAX_FORKS = 8

interface Opened {
  readonly path: string
  readonly readsIn: ReadsIn
  readonly isRecordsPath: (path: string) => boolean
}

export class RolloutSource implements RecordsSource {
  readonly #file: RecordsFile
  readonly #opened: Opened
  #scan: RolloutScan | null = null

  constructor(opened: Opened) {
    this.#opened = opened
    const { path, readsIn, isRecordsPath } = opened
    // a file that was replaced is scanned anew
    this.#file = new RecordsFile(path, { isRecordsPath, scan: () => (this.#scan = new RolloutScan(readsIn)) })
  }

  get scan(): RolloutScan | null {
    return this.#file.scan === null ? null : this.#scan
  }

  async readOn(from: number, watch: () => Watch, isStopped: () => boolean): Promise<Reading> {
    const reading = await this.#file.readOn(from, watch, isStopped)
    const origin = this.#scan?.origin ?? null
    if (reading !== 'end' || origin === null || !watch().wantsHeld) return reading
    const before = await readBefore(this.#opened, origin, watch, isStopped, MAX_FORKS)
    if (isStopped()) return 'stopped'
    this.#scan?.replays(before)
    return reading
  }
}

/** What stood in the other conversation where the fork left it; null if its file is not there. */
async function readBefore(
  { path, readsIn, isRecordsPath }: Opened,
  { thread, before }: Origin,
  watch: () => Watch,
  isStopped: () => boolean,
  forksLeft: number,
): Promise<RolloutScan | null> {
  const other = fileOf(thread, path)
  if (other === null || forksLeft === 0) return null
  const scan = new RolloutScan(readsIn)
  const upTo = { take: (line: string, watched: Watch) => (isBefore(line, before) ? scan.take(line, watched) : undefined), facts: () => [] }
  const reading = await new RecordsFile(other, { isRecordsPath, scan: () => upTo }).readOn(0, watch, isStopped)
  if (reading !== 'end') return null
  if (scan.origin !== null)
    scan.replays(await readBefore({ path: other, readsIn, isRecordsPath }, scan.origin, watch, isStopped, forksLeft - 1))
  return scan
}

function isBefore(line: string, ordinal: number): boolean {
  const own = ordinalOf(line)
  return own !== null && own < ordinal
}

/** The file of a thread, in the folder of any day: its name ends with the thread's id. */
function fileOf(thread: string, near: string): string | null {
  if (!/^[\w-]+$/.test(thread)) return null
  const sessions = dirname(dirname(dirname(dirname(near))))
  for (const year of namesIn(sessions))
    for (const month of namesIn(join(sessions, year)))
      for (const day of namesIn(join(sessions, year, month))) {
        const name = namesIn(join(sessions, year, month, day)).find((file) => file.endsWith(`-${thread}.jsonl`))
        if (name !== undefined) return join(sessions, year, month, day, name)
      }
  return null
}

/** Newest first: names are dates. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted().toReversed()
  } catch {
    return []
  }
}
