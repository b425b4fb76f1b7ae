/** What the command line reads of a report. A server of another version may send more. */
import { z } from 'zod'

const Conduct = z.object({ obeyed: z.number(), violated: z.number(), noOccasion: z.number() })
const Verdicts = z.object({
  shown: z.number(),
  hidden: z.number(),
  cut: z.number(),
  unverified: z.number(),
  open: z.number(),
  released: z.number(),
})

const EntryAnswer = z.object({
  entry: z.string(),
  fired: z.number(),
  served: z.number(),
  verdicts: Verdicts,
  shownShare: z.number().nullable(),
  held: z.number(),
  forbidden: z.number(),
  lifted: z.record(z.string(), z.number()),
  leftOut: z.number(),
  withheld: z.number(),
  bytes: z.number(),
  bytesPerRun: z.number().nullable(),
  conduct: z.object({ served: Conduct, withheld: Conduct }),
})
export type EntryAnswer = z.infer<typeof EntryAnswer>

export const ReportAnswer = z.object({
  since: z.number(),
  moments: z.object({ total: z.number(), denied: z.number(), notAnalysed: z.number(), failed: z.number() }),
  runs: z.number(),
  bytes: z.number(),
  bytesPerRun: z.number().nullable(),
  claims: Verdicts.extend({ total: z.number(), provenShare: z.number().nullable() }),
  entries: z.array(EntryAnswer),
  neverFired: z.array(z.string()),
  ignored: z.array(z.string()),
  missed: z.array(z.object({ harness: z.string(), cause: z.string(), count: z.number() })),
})
export type ReportAnswer = z.infer<typeof ReportAnswer>
