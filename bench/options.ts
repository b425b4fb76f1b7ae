/** What a run of the benchmark is asked for, and how much it does for it. */
import { parseArgs } from 'node:util'

/** How often things are done. Rounds go through all targets in turn, so that a busy machine slows all of them alike. */
export interface Effort {
  /** Sizes of the store that moments are posted to. */
  readonly entries: readonly number[]
  readonly rounds: number
  /** Model replies of the session that each target gets in each round. Each is a call before and after it ran. */
  readonly turns: number
  readonly waves: number
  readonly hookRuns: number
  /** Moments of the log that `--state` writes. */
  readonly logged: number
  /** Milliseconds that one way of matching may take for one input and one size. */
  readonly matchMs: number
}

export interface BenchOptions {
  /** Where the JSON is written; null: a file in the system's folder for temporary files, which the run names. */
  readonly json: string | null
  readonly profile: boolean
  /** The state alone, with a log that grows. */
  readonly state: boolean
  /** Other tools are installed from npm into a temporary folder. False: they are left out, and the report says so. */
  readonly others: boolean
  readonly effort: Effort
}

export const USAGE = `npm run bench -- [--quick] [--large] [--offline] [--json FILE]
npm run bench -- --profile [--quick]
npm run bench -- --state [--quick]

  --quick      under half a minute; the numbers are rough
  --large      with a store of 100,000 entries as well
  --offline    installs nothing to compare with
  --json FILE  where the numbers go; default: a file in the system's temporary folder
  --profile    instead: where the server's time goes, by module and function
  --state      instead: what the state alone costs, with a log that grows`

const FULL: Effort = { entries: [10, 1_000, 10_000], rounds: 24, turns: 40, waves: 24, hookRuns: 40, logged: 20_000, matchMs: 600 }
const QUICK: Effort = { entries: [10, 1_000, 10_000], rounds: 4, turns: 20, waves: 3, hookRuns: 5, logged: 4_000, matchMs: 40 }
/** As many as a store takes. */
const LARGE = 100_000

/** Throws a `TypeError` for an option that is not there. */
export function parseOptions(argv: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
      offline: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      state: { type: 'boolean', default: false },
      json: { type: 'string' },
    },
    allowPositionals: false,
  })
  const effort = values.quick ? QUICK : FULL
  return {
    json: values.json ?? null,
    profile: values.profile,
    state: values.state,
    others: !values.offline,
    effort: values.large ? { ...effort, entries: [...effort.entries, LARGE] } : effort,
  }
}
