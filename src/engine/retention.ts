/** How long and how much of the log is kept: as serving.json stands now, or by default. */
import type { Millis } from '../core/id.ts'
import { homeFrom, type Paths } from '../paths.ts'
import type { Retention } from '../state.ts'
import { openServingFile } from '../stores/serving.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const MEGABYTE = 1024 ** 2
/** Replies are kept this long for repeats (design, section 4). */
export const ANSWERS_KEPT_MS = 10 * 60 * 1_000
const LOG_KEPT_DAYS = 30
/** Some months of one person's heavy work; reports over it take seconds. */
const LOG_KEPT_ROWS = 2_000_000
/** Whatever the rows hold. */
const LOG_KEPT_MEGABYTES = 2_048

export interface LogSetting {
  readonly days?: number | undefined
  /** Moments. */
  readonly rows?: number | undefined
  /** Of the file that are in use. */
  readonly megabytes?: number | undefined
}

export function retention(
  now: Millis,
  { days = LOG_KEPT_DAYS, rows = LOG_KEPT_ROWS, megabytes = LOG_KEPT_MEGABYTES }: LogSetting = {},
): Retention {
  return { answers: now - ANSWERS_KEPT_MS, log: now - days * DAY_MS, rows, bytes: megabytes * MEGABYTE }
}

/** A way to ask again and again: an edit of serving.json counts at the next pruning. */
export function retentionIn(paths: Pick<Paths, 'serving' | 'config'>, env: NodeJS.ProcessEnv): (now: Millis) => Retention {
  const file = openServingFile({ serving: paths.serving, config: paths.config, home: homeFrom(env) })
  return (now) => retention(now, file.current(now).serving.log)
}
