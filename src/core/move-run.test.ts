import { expect, test } from 'vitest'
import { budgetFor } from './budget.ts'
import { Bed, entry } from './core.fixture.ts'
import { id, type RunId } from './id.ts'
import { moveRun } from './move-run.ts'

const [from, to] = [id<RunId>('run#1'), id<RunId>('R-1')]

test('budget, claims and what waits for an occasion go with the run; a refund reaches the budget that it was taken from', () => {
  const bed = new Bed()
  const watched = entry('watched', { obeyedWhen: [{ command: ['git commit'] }] })
  bed.handed(bed.prompt([watched]))
  const charged = bed.context.budget?.rules ?? 0
  const open = bed.prompt([entry('open')])
  bed.context = moveRun(bed.context, from, to)
  bed.run = to
  expect(bed.context.claims.map(({ run }) => run)).toEqual([to, to])
  expect(bed.context.occasions.map(({ run }) => run)).toEqual([to])
  bed.settle(open, 'dropped')
  expect(budgetFor(bed.context, to).rules).toBe(charged)
})

test('what was shown in it is known in the other; nothing of other runs is touched, and twice is once', () => {
  const bed = new Bed()
  const served = bed.prompt([entry('rule', { repeat: 'run' })])
  bed.handed(served)
  bed.shown(served)
  const moved = moveRun(bed.context, from, to)
  expect(Object.values(moved.known).map(({ run }) => run)).toEqual([to])
  expect(moveRun(moved, from, to)).toBe(moved)
  expect(moveRun(moved, id<RunId>('run#9'), to)).toBe(moved)
})
