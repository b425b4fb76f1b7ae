/**
 * The interface of a harness: everything that the rest needs of an agent program. Each one is a folder under `harness/`.
 *
 * Decoding and rendering are pure. A decoder takes what a hook posted, from any version, and never throws.
 */
import type { Fact } from './core/fact.ts'
import type { Millis } from './core/id.ts'
import type { Moment } from './core/moment.ts'
import type { Problem } from './core/problem.ts'
import type { Profile } from './core/profile.ts'
import type { Reply } from './core/reply.ts'
import type { Watch } from './core/watch.ts'
import type { EventNames } from './harness/event-names.ts'

export type Decoded =
  /** `problem`: something that the event shows and that a person should know; nothing of the event is in it. */
  | { readonly ok: true; readonly moment: Moment; readonly problem?: Problem }
  /** `why` is a fixed text without anything of the event in it. */
  | { readonly ok: false; readonly why: string }

/** What the hook is answered: 204 without a body, or 200 with the harness's own JSON. */
export type HookAnswer = { readonly status: 204 } | { readonly status: 200; readonly body: object }

export interface Harness {
  readonly profile: Profile
  /** The profile of the version that the moment's event shows, where older ones can do less. */
  readonly profileOf?: (moment: Moment) => Profile
  /** How its hooks call the events of the kinds that a person can describe. */
  readonly eventNames: EventNames
  decode(event: unknown, at: Millis): Decoded
  render(reply: Reply, moment: Moment): HookAnswer
  readonly records: Records
}

export interface Records {
  /** True if the harness itself would keep records at this path. Anything else that an event names is not opened. */
  isRecordsPath(path: string): boolean
  /** A new reader of one context's records, from any line on. `path`: of the file, where its name tells something. */
  scan(path?: string): Scan
  /** The harness's version as the first lines of the records tell it (the last one may be cut); null where they don't. */
  versionIn?(head: string): string | null
  /** For records that are no file of lines: a database. Without it the path is opened as a file. */
  open?(path: string): RecordsSource
}

/** Where the records of one context are read from, in slices. */
export interface RecordsSource {
  /** What is known so far; null while nothing was read. */
  readonly scan: Scan | null
  /** Reads what was added since. `from`: offset in a file; `watch` is asked anew for each slice, `isStopped` between slices. Never throws. */
  readOn(from: number, watch: () => Watch, isStopped: () => boolean): Promise<'end' | 'missing' | 'stopped'>
}

/**
 * One pass over one records file, line by line, oldest first. Keeps what it saw; opens nothing itself.
 *
 * It may start in the middle of a file and is given whole lines only. A line that it does not know is passed over.
 */
export interface Scan {
  take(line: string, watch: Watch): void
  /** All that can be said of the watch by now. The same fact may be told again. */
  facts(watch: Watch): readonly Fact[]
}
