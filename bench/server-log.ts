/** What the server itself says of its moments, from its log. */
import { z } from 'zod'
import type { Place } from './place.ts'

const Log = z.object({
  moments: z.array(
    z.object({
      number: z.number(),
      session: z.string(),
      kind: z.string(),
      tool: z.string().nullable(),
      outcome: z.string(),
      ms: z.object({ total: z.number(), match: z.number() }),
    }),
  ),
})
export type ServerMoment = z.infer<typeof Log>['moments'][number]

/** More than a round ever makes. */
const PAGE = 1_000

/** All rows with a larger number, oldest first. */
export async function momentsAfter(place: Place, number: number): Promise<readonly ServerMoment[]> {
  const found: ServerMoment[] = []
  for (;;) {
    const after = found.at(-1)?.number ?? number
    const { moments } = Log.parse(await place.get(`/log?limit=${PAGE}&after=${after}`))
    found.push(...moments)
    if (moments.length < PAGE) return found
  }
}

/** Number of the newest row; 0 where there is none. */
export async function newestMoment(place: Place): Promise<number> {
  const { moments } = Log.parse(await place.get('/log?limit=1'))
  return moments[0]?.number ?? 0
}
