/** What the demo promises to show. One that was not seen makes the command fail: then something is broken, and not only the picture. */
import type { LogRow } from '../cli/log-row.ts'

export interface Promised {
  readonly what: string
  readonly wasSeen: boolean
}

/** Outcomes at the moment that put a text into the reply: each is a claim, and ends in a verdict. */
const HANDED_OVER: ReadonlySet<string> = new Set(['served', 'pointed', 'held', 'held_beside', 'forbidden'])

export function claimsIn(rows: readonly LogRow[]): LogRow['candidates'] {
  return rows.flatMap((row) => row.candidates).filter(({ atMoment }) => HANDED_OVER.has(atMoment))
}

/** `rows`: the whole log, oldest first. `events`: how many were posted. `problems`: codes of what health reports. */
export function promises(
  rows: readonly LogRow[],
  { events, problems }: { readonly events: number; readonly problems: readonly string[] },
): readonly Promised[] {
  const had = (row: LogRow, outcome: string): boolean => row.candidates.some((candidate) => candidate.atMoment === outcome)
  const lifts = (lift: string): boolean => rows.some((row) => row.gates.some((gate) => gate.lift === lift))
  const armedAt = rows.findIndex((row) => row.gates.some((gate) => gate.lift === 'armed'))
  const claims = claimsIn(rows)
  return [
    { what: 'a rule beside its moment', wasSeen: rows.some((row) => had(row, 'served')) },
    { what: 'a call held', wasSeen: rows.some((row) => had(row, 'held')) },
    { what: 'its gate lifted by a read', wasSeen: lifts('read') },
    { what: 'its gate lifted once its text was shown', wasSeen: lifts('shown') },
    { what: 'a call forbidden', wasSeen: rows.some((row) => had(row, 'forbidden')) },
    { what: 'held again after the compaction', wasSeen: armedAt !== -1 && rows.slice(armedAt).some((row) => had(row, 'held')) },
    { what: 'every text proven', wasSeen: claims.length > 0 && claims.every(({ outcome }) => outcome === 'shown') },
    { what: 'every moment logged', wasSeen: rows.length === events },
    { what: ['no problem in health', ...problems].join(' '), wasSeen: problems.length === 0 },
  ]
}
