import { expect, test } from 'vitest'
import { Bed, claimsOf, entry } from './core.fixture.ts'
import { id, type RunId } from './id.ts'
import { rollBack } from './rollback.ts'

const runs = (...names: string[]) => new Set(names.map((name) => id<RunId>(name)))

test('T11: what was shown in a run that was taken back is forgotten, gates arm, the budget is full, the pack is owed', () => {
  const bed = new Bed()
  const first = bed.prompt([entry('kept')])
  bed.handed(first)
  bed.shown(first)
  bed.run = id<RunId>('run#2')
  const second = bed.before([entry('gate', { mustKnow: true })])
  bed.handed(second)
  bed.batchEnd('call2')
  bed.shown(second)
  expect(Object.keys(bed.context.known)).toEqual(['kept', 'gate'])
  const { context, gates } = rollBack(bed.context, runs('run#2'), bed.now)
  expect(Object.keys(context.known)).toEqual(['kept'])
  expect(context).toMatchObject({ epoch: bed.context.epoch + 1, gates: {}, budget: null, owed: 'start' })
  expect(gates).toMatchObject([{ entry: 'gate', lift: 'armed' }])
})

test('the same rollback told twice counts once, and so does one that the records told before', () => {
  const bed = new Bed()
  const served = bed.prompt([entry('lost')])
  bed.handed(served)
  bed.shown(served)
  const once = rollBack(bed.context, runs('run#1'), bed.now).context
  expect(rollBack(once, runs('run#1'), bed.now).context).toBe(once)
  bed.judge([{ kind: 'gone', claims: claimsOf(served) }])
  expect(rollBack(bed.context, runs('run#1'), bed.now).context).toBe(bed.context)
})

test('a run that only lifted a gate ends the epoch as well; another run and no run end nothing', () => {
  const bed = new Bed()
  bed.start('startup')
  bed.prompt()
  expect(rollBack(bed.context, runs('run#1'), bed.now).context).toMatchObject({ epoch: 1, owed: null })
  expect(rollBack(bed.context, runs('run#0'), bed.now).context).toBe(bed.context)
  expect(rollBack(bed.context, runs(), bed.now).context).toBe(bed.context)
})

test('a text that is still on its way counts as lost', () => {
  const bed = new Bed()
  bed.handed(bed.prompt([entry('lost')]))
  expect(rollBack(bed.context, runs('run#1'), bed.now).context.owed).toBe('start')
})
