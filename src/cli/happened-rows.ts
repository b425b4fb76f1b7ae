/** What the log says of the calls that happened, newest first; nothing where no server runs. */
import { z } from 'zod'
import { CommandError, type Io } from './command.ts'
import { withServer } from './connection.ts'

const Answer = z.object({
  moments: z.array(
    z.object({
      delivery: z.string(),
      context: z.string(),
      harness: z.string(),
      kind: z.string(),
      outcome: z.string(),
      candidates: z.array(z.object({ entry: z.string(), entryHash: z.string(), outcome: z.string() })),
    }),
  ),
})
export type HappenedRow = z.infer<typeof Answer>['moments'][number]

/** As many as the server gives in one answer. */
const MOST_ROWS = 1_000

export async function happenedRows(io: Io): Promise<readonly HappenedRow[]> {
  try {
    const connection = await withServer(io)
    const answer = Answer.parse(await connection.get(`/log?limit=${MOST_ROWS}`))
    return answer.moments.toReversed()
  } catch (error) {
    // the session file alone says what there was to match
    if (error instanceof CommandError) return []
    throw error
  }
}
