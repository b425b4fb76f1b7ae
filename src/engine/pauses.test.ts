import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { Pauses } from './pauses.ts'

/** Nothing else runs for this long. */
function holdUp(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

/** Whether a timer or the next pause is due first: both are asked for in one turn, and timers end in the order in which they are due. */
async function firstOf(pauses: Pauses, timerMs: number): Promise<'pause' | 'timer'> {
  return await Promise.race([
    new Promise<'timer'>((resolve) => setTimeout(() => resolve('timer'), timerMs)),
    pauses.next().then(() => 'pause' as const),
  ])
}

test('a pause that ended late makes the next one longer', async () => {
  const pauses = new Pauses(performance.now() + 60_000)
  const first = pauses.next()
  holdUp(150)
  await first
  expect(await firstOf(pauses, 250)).toBe('timer')
})

test('none goes on past the end', async () => {
  const pauses = new Pauses(performance.now() + 100)
  const first = pauses.next()
  holdUp(150)
  await first
  expect(await firstOf(pauses, 250)).toBe('pause')
})
