/**
 * Which versions of the harnesses are in use, and whether the canary has proven them: by the events where they tell, else by the head
 * of the session's records.
 *
 * Only told to people. A version that is not proven is served by what its events show.
 */
import type { Moment } from '../core/moment.ts'
import { openRegular } from '../evidence/records-file.ts'
import type { Harness } from '../harness.ts'
import type { Problems } from './problems.ts'

/** Of a records file; the first line of the longest one seen has 30 KB. */
const HEAD_BYTES = 64 * 1024
/** A file may not be there yet at a session's first moments. */
const MOST_LOOKS = 10
/** Sessions that are remembered. */
const MOST_SESSIONS = 1_000

export class Versions {
  readonly #problems: Problems
  /** By records path: how often it was looked at, or what it told. */
  readonly #known = new Map<string, { readonly looks: number; readonly version: string | null }>()
  readonly #running = new Set<Promise<void>>()

  constructor(problems: Problems) {
    this.#problems = problems
  }

  /** Never throws, and never waits. */
  seen(harness: Harness, moment: Moment): void {
    if (moment.version !== undefined) return this.#told(harness, moment.version, moment.at)
    const path = moment.records
    if (path === null || harness.records.versionIn === undefined || !harness.records.isRecordsPath(path)) return
    const { looks, version } = this.#known.get(path) ?? { looks: 0, version: null }
    if (version !== null) return this.#told(harness, version, moment.at)
    if (looks < MOST_LOOKS) this.#look(harness, moment, path, looks + 1)
  }

  #look(harness: Harness, moment: Moment, path: string, looks: number): void {
    this.#keep(path, looks, null)
    const run = headOf(path)
      .then((head) => {
        const version = head === null ? null : (harness.records.versionIn?.(head) ?? null)
        if (version === null) return
        this.#keep(path, looks, version)
        this.#told(harness, version, moment.at)
      })
      .finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  #keep(path: string, looks: number, version: string | null): void {
    this.#known.delete(path)
    this.#known.set(path, { looks, version })
    const oldest = this.#known.keys().next().value
    if (this.#known.size > MOST_SESSIONS && oldest !== undefined) this.#known.delete(oldest)
  }

  #told({ profile }: Harness, version: string, at: number): void {
    if (isProven(version, profile.proven)) return
    const { from, to } = profile.proven
    this.#problems.report(
      {
        code: 'version_unproven',
        severity: 'info',
        message: `${profile.title} ${version}: not proven on this version (proven: ${from === to ? from : `${from} to ${to}`}). It is served by what its events show.`,
        cure: `If rules do not arrive, look at "contextmd log", and use ${profile.title} ${to} or update ContextMD.`,
        key: `${profile.name} ${version}`,
      },
      at,
    )
  }

  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}

/** True for a version from `from` to `to`, both included. What is no version of three numbers is not proven. */
export function isProven(version: string, { from, to }: { readonly from: string; readonly to: string }): boolean {
  const numbers = numbersIn(version)
  const least = numbersIn(from)
  const most = numbersIn(to)
  return numbers !== null && least !== null && most !== null && compare(numbers, least) >= 0 && compare(numbers, most) <= 0
}

/** A version of a later pre-release is another one than its release. */
function numbersIn(version: string): readonly number[] | null {
  return /^\d+\.\d+\.\d+$/.test(version) ? version.split('.').map(Number) : null
}

function compare(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((number, index) => number !== right[index])
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0)
}

async function headOf(path: string): Promise<string | null> {
  try {
    const file = await openRegular(path)
    if (file === null) return null
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch {
    // not there yet, or not for us to read: the next moment asks again
    return null
  }
}
