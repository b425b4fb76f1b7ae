/**
 * Reading a call back from a harness's own records: as the events that its hooks posted, made anew from what the records hold.
 *
 * For a person who asks why a rule spoke or did not; nothing is kept.
 */
import { readdirSync, statSync } from 'node:fs'
import type { Json } from './json.ts'

export interface RecalledCall {
  readonly call: string
  readonly file: string
  /** The event before the call. */
  readonly before: Json
  /** The event after it; null if it has no result, or was denied. */
  readonly after: Json | null
  readonly wasDenied: boolean
  /** Milliseconds since the epoch; null if the records do not say. */
  readonly at: number | null
}

export interface Recall {
  /** Files that may hold a session's calls, newest first. `session` null: those of any session. */
  files(place: RecallPlace, session: string | null, agent: string | null): readonly string[]
  /** The call of this id, or the last one of the file; null if there is none. Throws what the file system throws. */
  call(file: string, wanted: string | null): Promise<RecalledCall | null>
}

export interface RecallPlace {
  readonly home: string
  readonly env: NodeJS.ProcessEnv
}

/** Those that are there, the one that was changed last first. */
export function newestFirst(files: readonly string[]): readonly string[] {
  return files
    .flatMap((file) => {
      const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs
      return changed === undefined ? [] : [{ file, changed }]
    })
    .toSorted((a, b) => b.changed - a.changed)
    .map(({ file }) => file)
}

/** Empty where the folder is not there, or is none. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
