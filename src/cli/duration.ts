/** Spans of time as people write them: `30m`, `2h`, `1d`. */
import type { Millis } from '../core/id.ts'
import { CommandError } from './command.ts'

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Throws a `CommandError` that names the option. */
export function parseDuration(text: string, option: string): Millis {
  const span = durationIn(text)
  if (span !== null) return span
  throw new CommandError('usage', `${option} takes a span of time like 90s, 30m, 2h or 1d, not "${text}"`)
}

/** A span before now, or a date that JavaScript reads. Throws a `CommandError` that names the option. */
export function parseSince(text: string, option: string, now: Millis): Millis {
  const span = durationIn(text)
  if (span !== null) return now - span
  const date = Date.parse(text)
  if (!Number.isNaN(date)) return date
  throw new CommandError('usage', `${option} takes a span like 30m or 2h, or a date like 2026-05-01 or 2026-05-01T10:00, not "${text}"`)
}

function durationIn(text: string): Millis | null {
  const match = /^(\d{1,6})\s*([smhd])$/.exec(text.trim())
  const unit = match?.[2]
  if (unit !== 's' && unit !== 'm' && unit !== 'h' && unit !== 'd') return null
  const span = Number(match?.[1]) * UNITS[unit]
  return span > 0 ? span : null
}
