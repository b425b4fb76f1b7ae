/** What a hook costs the agent in time, harness by harness and way by way, against a hook in Node and one that does nothing, in one run. */
import { hookWays } from './hook-ways.ts'
import type { Effort } from './options.ts'
import { pairedRatio, summary, type Summary } from './statistics.ts'
import { ms, table, times } from './table.ts'
import type { Target } from './target.ts'

export interface HookTimes {
  readonly hooks: readonly {
    readonly name: string
    readonly ms: Summary
    /** How many times an empty hook's time. */
    readonly toEmpty: number
  }[]
}

export async function measureHookTimes(target: Target, { hookRuns }: Effort): Promise<HookTimes> {
  if (target.place === null) throw new Error('Hooks are measured on a real server.')
  const ways = (await hookWays(target.place)).map((way) => ({ ...way, rounds: new Array<number[]>() }))
  try {
    for (let run = 0; run <= hookRuns; run += 1) {
      for (const [index, { run: post, rounds }] of ways.entries()) {
        const took = await post(`call_hook_${index}_${run}`)
        // the first one warms up
        if (run > 0) rounds.push([took])
      }
    }
  } finally {
    for (const { close } of ways) close?.()
  }
  const emptyRounds = ways.at(-1)?.rounds ?? []
  return { hooks: ways.map(({ name, rounds }) => ({ name, ms: summary(rounds.flat()), toEmpty: pairedRatio(rounds, emptyRounds) })) }
}

export function hookTimesText({ hooks }: HookTimes): string {
  const rows = hooks.map(({ name, ms: took, toEmpty }) => [name, ms(took.p50), ms(took.p95), times(toEmpty)])
  return table(['one hook, start to end (ms)', 'p50', 'p95', 'to empty'], rows)
}
