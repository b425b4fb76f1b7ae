/** What a hook costs the agent in time: a kept connection, a shell with curl, a Node script, against a hook that does nothing. */
import { commandHooks } from './hook-clients.ts'
import type { Effort } from './options.ts'
import { heldCall } from './session.ts'
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
  const session = target.session()
  const client = await target.client()
  const { shAndCurl, node, empty } = commandHooks(target.place)
  const ways = [
    { name: 'kept http connection', run: (event: string) => client.post(event) },
    { name: 'sh + curl', run: shAndCurl },
    { name: 'node script', run: node },
    { name: 'empty hook (sh -c true)', run: empty },
  ].map((way) => ({ ...way, rounds: new Array<number[]>() }))
  try {
    for (let run = 0; run <= hookRuns; run += 1) {
      for (const { name, run: post, rounds } of ways) {
        const took = await post(heldCall(session, `toolu_hook_${name.length}_${run}`))
        // the first one warms up
        if (run > 0) rounds.push([took.ms])
      }
    }
  } finally {
    client.close()
  }
  const emptyRounds = ways.at(-1)?.rounds ?? []
  return { hooks: ways.map(({ name, rounds }) => ({ name, ms: summary(rounds.flat()), toEmpty: pairedRatio(rounds, emptyRounds) })) }
}

export function hookTimesText({ hooks }: HookTimes): string {
  const rows = hooks.map(({ name, ms: took, toEmpty }) => [name, ms(took.p50), ms(took.p95), times(toEmpty)])
  return table(['one hook, start to end (ms)', 'p50', 'p95', 'to empty'], rows)
}
