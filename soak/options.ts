/** What a soak is told to do: everything at its full size, or smaller for a trial. */
import { parseArgs } from 'node:util'
import type { Keeping } from './filled.ts'

export const PARTS = ['kills', 'locked', 'gigabyte', 'age', 'prune', 'size', 'join'] as const
export type Part = (typeof PARTS)[number]

export interface SoakOptions {
  readonly parts: readonly Part[]
  readonly kills: number
  readonly contexts: number
  /** Rows of the log: moments, and their candidates. */
  readonly rows: number
  /** Moments of the older of two states that are compared. */
  readonly moments: number
  readonly lockedMs: number
  /** Of a host's database. */
  readonly attempts: number
  readonly items: number
  /** Bytes of the session file. */
  readonly fileBytes: number
  /** Where filled states are kept between runs; null: nowhere. */
  readonly keeping: Keeping | null
}

export const USAGE = `npm run soak -- [PART …] [--kills N] [--contexts N] [--rows N] [--moments N] [--in FOLDER [--minutes N]] [--trial]

What takes too long for the tests, with the real server on loopback and temporary folders. Ends with exit code 1 where something does
not hold. Figures are printed, not judged.

  kills      100 times kill -9 under load: nothing acknowledged is lost
  locked     the state is locked by another program for 10 s
  gigabyte   session files of a gigabyte: grown since a hold, and replayed by a resume
  age        size and time of a moment after 1,000,000 moments against 1,000
  prune      the oldest tenth of 1,000,000 moments is deleted while the server serves: takes two to three minutes
  size       100,000 contexts and 5,000,000 log rows
  join       a host's database with 100,000 attempts and 5,000,000 items, with and without the index

  --in       large states are filled in this folder, and kept there until they are full: so a filling can be ended and go on
  --minutes  filling in a folder ends after so long (default 4); then the same is run again
  --trial    all of it smaller: about three minutes`

const USUAL_MINUTES = 4
const MINUTE_MS = 60_000

const FULL = {
  kills: 100,
  contexts: 100_000,
  rows: 5_000_000,
  moments: 1_000_000,
  lockedMs: 10_000,
  fileBytes: 1024 ** 3,
  attempts: 100_000,
  items: 5_000_000,
}
const TRIAL = {
  kills: 10,
  contexts: 5_000,
  rows: 200_000,
  moments: 50_000,
  lockedMs: 3_000,
  fileBytes: 256 * 1024 ** 2,
  attempts: 10_000,
  items: 200_000,
}

/** Throws a `TypeError` for an option that is not there. */
export function parseOptions(argv: readonly string[]): SoakOptions {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      kills: { type: 'string' },
      contexts: { type: 'string' },
      rows: { type: 'string' },
      moments: { type: 'string' },
      in: { type: 'string' },
      minutes: { type: 'string' },
      trial: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const unknown = positionals.find((word) => !PARTS.some((part) => part === word))
  if (unknown !== undefined) throw new TypeError(`there is no part "${unknown}": use ${PARTS.join(', ')}`)
  const sizes = values.trial ? TRIAL : FULL
  return {
    ...sizes,
    parts: positionals.length === 0 ? PARTS : PARTS.filter((part) => positionals.includes(part)),
    kills: numberOf('kills', values.kills, sizes.kills),
    contexts: numberOf('contexts', values.contexts, sizes.contexts),
    rows: numberOf('rows', values.rows, sizes.rows),
    moments: numberOf('moments', values.moments, sizes.moments),
    keeping:
      values.in === undefined
        ? null
        : { folder: values.in, until: performance.now() + numberOf('minutes', values.minutes, USUAL_MINUTES) * MINUTE_MS },
  }
}

function numberOf(name: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual
  const number = Number(text.replaceAll(/[_,]/g, ''))
  if (Number.isSafeInteger(number) && number > 0) return number
  throw new TypeError(`--${name} takes a whole number, not "${text}"`)
}
