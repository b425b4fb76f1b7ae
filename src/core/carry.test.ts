import { describe, expect, test } from 'vitest'
import { CARRY_TRIES } from './carry.ts'
import { Bed, entry, lateSeams, outcomes } from './core.fixture.ts'
import type { RunId } from './id.ts'
import { id } from './id.ts'

const rule = entry('rule')
const other = entry('other')

function bedWith(...carried: ReturnType<typeof entry>[]): Bed {
  const bed = new Bed()
  bed.profile = lateSeams
  bed.carried = carried
  return bed
}

describe('carries', () => {
  test('law 14: a text without a seam comes at the next one, oldest first, once', () => {
    const bed = bedWith(rule, other)
    expect(outcomes(bed.start('startup', [rule]))).toEqual({ rule: 'carried' })
    expect(outcomes(bed.prompt([other, rule]))).toEqual({ other: 'carried', rule: 'pending' })
    const brought = bed.before([])
    expect(brought.rows.map((row) => [row.entry, row.outcome])).toEqual([
      ['rule', 'served'],
      ['other', 'served'],
    ])
    bed.handed(brought)
    bed.shown(brought)
    expect(bed.before([]).reply.kind).toBe('nothing')
    expect(bed.context.carries).toEqual([])
  })

  test('three tries, then it is dropped with a row', () => {
    const bed = bedWith(rule)
    bed.start('startup', [rule])
    for (let attempt = 0; attempt < CARRY_TRIES; attempt += 1) {
      const brought = bed.before([])
      expect(outcomes(brought)).toEqual({ rule: 'served' })
      bed.settle(brought, 'dropped')
    }
    expect(outcomes(bed.before([]))).toEqual({ rule: 'carry_dropped' })
    expect(bed.context.carries).toEqual([])
  })

  test('a seam at which there was no room for it is no try', () => {
    const bed = bedWith(rule)
    bed.start('startup')
    expect(outcomes(bed.before([entry('full', { text: 'x'.repeat(7_850) })]))).toEqual({ full: 'served' })
    bed.start('resume', [rule])
    for (let seam = 0; seam < 2 * CARRY_TRIES; seam += 1) expect(outcomes(bed.before([]))).toEqual({ rule: 'over_budget' })
    bed.run = id<RunId>('run#2')
    expect(outcomes(bed.before([]))).toEqual({ rule: 'served' })
  })

  test('one that was meant for a prompt dies with its run; every one with its epoch', () => {
    const bed = bedWith(rule, other)
    bed.start('startup', [other])
    bed.prompt([rule])
    bed.run = id<RunId>('run#2')
    const next = bed.before([])
    expect(outcomes(next)).toEqual({ rule: 'carry_dropped', other: 'served' })
    bed.settle(next, 'dropped')
    bed.start('compact')
    expect(outcomes(bed.before([]))).toEqual({ other: 'carry_dropped' })
  })

  test('T8: what waits since before a compaction, or in an ended run, keeps no new one from waiting', () => {
    const bed = bedWith(rule, other)
    bed.start('startup', [rule])
    bed.prompt([other])
    expect(outcomes(bed.start('compact', [rule]))).toEqual({ rule: 'carried' })
    bed.run = id<RunId>('run#2')
    expect(outcomes(bed.prompt([other]))).toEqual({ other: 'carried' })
    expect(bed.before([]).rows.map((row) => [row.entry, row.outcome])).toEqual([
      ['rule', 'carry_dropped'],
      ['other', 'carry_dropped'],
      ['rule', 'served'],
      ['other', 'served'],
    ])
  })

  test('a moment that asks for it itself is served, although a carry of it ends there', () => {
    const bed = bedWith(rule)
    bed.prompt([rule])
    bed.run = id<RunId>('run#2')
    expect(bed.before([rule]).rows.map((row) => row.outcome)).toEqual(['carry_dropped', 'served'])
  })

  test('an edited or deleted entry is carried no longer', () => {
    const bed = bedWith(entry('rule', { text: 'Edited.' }))
    bed.start('startup', [rule, other])
    bed.carried = [entry('rule', { text: 'Edited.' })]
    expect(outcomes(bed.before([]))).toEqual({ rule: 'carry_dropped', other: 'carry_dropped' })
  })

  test('none rides on a denied call', () => {
    const bed = bedWith(rule, other)
    const held = entry('held', { mustKnow: true })
    bed.start('startup', [rule])
    const denied = bed.before([held])
    expect([denied.reply.kind, outcomes(denied)]).toEqual(['deny', { held: 'held' }])
    expect(bed.context.carries).toHaveLength(1)
  })

  test('at the stop only where the entry says so, and once a run', () => {
    const toStop = entry('to-stop', { carryToStop: true })
    const second = entry('second', { carryToStop: true })
    const bed = bedWith(rule, toStop, second)
    bed.prompt([rule, toStop])
    const stopped = bed.stop()
    expect(outcomes(stopped)).toEqual({ 'to-stop': 'served' })
    bed.handed(stopped)
    bed.start('resume', [second])
    expect(bed.stop().reply.kind).toBe('nothing')
  })
})
