/** How long and how much of the log is kept. */
import type { Millis } from '../core/id.ts'
import type { Retention } from '../state.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** Replies are kept this long for repeats (design, section 4). */
const ANSWERS_KEPT_MS = 10 * 60 * 1_000
const LOG_KEPT_DAYS = 30
/** Some months of one person's heavy work; reports over it take seconds. */
const LOG_KEPT_ROWS = 2_000_000
/** Whatever the rows hold. */
const LOG_KEPT_BYTES = 2 * 1024 ** 3

export function retention(now: Millis): Retention {
  return { answers: now - ANSWERS_KEPT_MS, log: now - LOG_KEPT_DAYS * DAY_MS, rows: LOG_KEPT_ROWS, bytes: LOG_KEPT_BYTES }
}
