/** What the command line reads of a row of the log. A server of another version may send more. */
import { z } from 'zod'

export const LogRow = z.object({
  number: z.number(),
  at: z.number(),
  harness: z.string(),
  kind: z.string(),
  event: z.string(),
  tool: z.string().nullable(),
  thread: z.string().nullable(),
  outcome: z.string(),
  why: z.string().nullable(),
  bytes: z.number(),
  ms: z.object({ total: z.number() }),
  candidates: z.array(
    z.object({ entry: z.string(), atMoment: z.string(), outcome: z.string(), bytes: z.number(), why: z.string().nullable() }),
  ),
  gates: z.array(z.object({ entry: z.string(), lift: z.string() })),
})
export type LogRow = z.infer<typeof LogRow>

export const LogAnswer = z.object({ moments: z.array(LogRow) })
