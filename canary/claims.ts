/** What the log says about claims: of one entry, of a whole row, and as a person would read it. */
import { until } from './contextmd.ts'
import type { ContextMD, LogRow } from './contextmd.ts'

/** Verdicts are there within a second of the last answer; what is open after this stays open. */
const JUDGED_WITHIN_MS = 4_000

/** Claims that carried text; what was released reached nobody and is not in it. */
export interface ClaimCounts {
  /** Shown, hidden or cut. */
  readonly judged: number
  readonly unverified: number
  readonly open: number
  /** Entries of those that are not judged. */
  readonly entries: readonly string[]
}

export const NO_CLAIMS: ClaimCounts = { judged: 0, unverified: 0, open: 0, entries: [] }

const JUDGED: ReadonlySet<string> = new Set(['shown', 'hidden', 'cut'])
const RELEASED: ReadonlySet<string> = new Set(['dropped', 'delivery_unverified'])

interface Claim {
  readonly entry: string
  readonly outcome: string
}

/** A stub beside a text has nothing to prove. */
function allClaims(rows: readonly LogRow[]): readonly Claim[] {
  return rows.flatMap((row) => row.candidates.filter((c) => c.claim !== null && c.bytes > 0))
}

/** Outcomes of the claims of one entry of the row's store, oldest first. */
export function claimsOf(rows: readonly LogRow[], entry: string): readonly string[] {
  return allClaims(rows).flatMap((claim) => (claim.entry === `rules/${entry}` ? [claim.outcome] : []))
}

export function counted(rows: readonly LogRow[]): ClaimCounts {
  const claims = allClaims(rows).filter(({ outcome }) => !RELEASED.has(outcome))
  const rest = claims.filter(({ outcome }) => !JUDGED.has(outcome))
  const unverified = rest.filter(({ outcome }) => outcome === 'unverified').length
  return {
    judged: claims.length - rest.length,
    unverified,
    open: rest.length - unverified,
    entries: rest.map(({ entry, outcome }) => `${entry}=${outcome}`),
  }
}

/**
 * Waits until no claim is open; not where nothing is going to prove them. A server that was never started, or is not there any more, has
 * none.
 */
export async function claimCounts(contextmd: ContextMD | null, areProvable: boolean): Promise<ClaimCounts> {
  if (contextmd === null) return NO_CLAIMS
  if (!areProvable) return counted(await contextmd.log())
  let last = NO_CLAIMS
  await until(async () => {
    last = counted(await contextmd.log())
    return last.open === 0
  }, JUDGED_WITHIN_MS)
  return last
}

/** The log as a person would read it, for a row that failed. */
export function logText(rows: readonly LogRow[]): string {
  return rows
    .map((row) => {
      const candidates = row.candidates.map((c) => `${c.entry}=${c.outcome}${c.why === null ? '' : ` (${c.why})`}`)
      const gates = row.gates.map((gate) => `${gate.entry}:${gate.lift}`)
      return `  ${row.seq} e${row.epoch} w${row.wave} ${row.event} ${row.outcome}${row.why === null ? '' : ` (${row.why})`} ${[...candidates, ...gates].join(' ')}`
    })
    .join('\n')
}
