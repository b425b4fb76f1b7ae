/** Makes a report of the sums of the log's slices. Pure: rows in, report out. */
import type { EntryId, Millis } from '../core/id.ts'
import type { MomentOutcome } from '../core/outcome.ts'
import type { MissedTally, MomentTally, Tally } from '../state/tally.ts'
import { EntrySums } from './entry-sums.ts'
import type { Report, Verdicts } from './report.ts'

export interface Told {
  readonly since: Millis
  readonly until: Millis
  /** Ids of the entries that are in force now. */
  readonly inForce: readonly EntryId[]
  readonly missed: readonly MissedTally[]
}

export interface ReportBuilder {
  /** Slices may come in any order. */
  add(tally: Tally): void
  report(told: Told): Report
}

export function newReport(): ReportBuilder {
  const moments: MomentTally[] = []
  const entries = new Map<EntryId, EntrySums>()
  const runs = new Set<string>()
  const of = (entry: EntryId): EntrySums => {
    const known = entries.get(entry) ?? new EntrySums(entry)
    entries.set(entry, known)
    return known
  }

  return {
    add(tally) {
      moments.push(...tally.moments)
      for (const row of tally.candidates) {
        if (of(row.entry).addCandidates(row) && row.run !== null) runs.add(row.run)
      }
      for (const row of tally.gates) of(row.entry).addLift(row)
      for (const row of tally.obedience) of(row.entry).addConduct(row)
    },
    report({ since, until, inForce, missed }) {
      const all = [...entries.values()].map((sums) => sums.report())
      const bytes = all.reduce((sum, entry) => sum + entry.bytes, 0)
      const fired = new Set(all.filter((entry) => entry.fired > 0).map(({ entry }) => entry))
      return {
        since,
        until,
        moments: {
          total: countOf(moments),
          denied: countOf(moments, 'denied'),
          notAnalysed: countOf(moments, 'not_analysed'),
          failed: countOf(moments, 'failed'),
        },
        runs: runs.size,
        bytes,
        bytesPerRun: runs.size === 0 ? null : Math.round(bytes / runs.size),
        claims: claimsOf(all.map((entry) => entry.verdicts)),
        entries: all.toSorted((a, b) => b.served - a.served || b.fired - a.fired || (a.entry < b.entry ? -1 : 1)),
        neverFired: inForce.filter((entry) => !fired.has(entry)),
        ignored: all.filter(({ conduct: { served } }) => served.violated > 0 && served.violated >= served.obeyed).map(({ entry }) => entry),
        missed,
      }
    },
  }
}

function countOf(moments: readonly MomentTally[], outcome?: MomentOutcome): number {
  return moments.reduce((sum, row) => (outcome === undefined || row.outcome === outcome ? sum + row.count : sum), 0)
}

function claimsOf(entries: readonly Verdicts[]): Report['claims'] {
  const sum = (key: keyof Verdicts): number => entries.reduce((total, verdicts) => total + verdicts[key], 0)
  const verdicts: Verdicts = {
    shown: sum('shown'),
    hidden: sum('hidden'),
    cut: sum('cut'),
    unverified: sum('unverified'),
    open: sum('open'),
    released: sum('released'),
  }
  const proven = verdicts.shown + verdicts.hidden + verdicts.cut
  const judged = proven + verdicts.unverified
  return { total: judged + verdicts.open + verdicts.released, ...verdicts, provenShare: judged === 0 ? null : proven / judged }
}
