import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { corpus } from './corpus.ts'
import { shares, type CpuProfile } from './cpu-profile.ts'
import { parseOptions } from './options.ts'
import { pairedRatio, quantile, quietest, summary } from './statistics.ts'

describe('statistics', () => {
  test('quantiles are measured values, by the nearest rank', () => {
    const values = [5, 1, 4, 2, 3]
    expect([0, 0.2, 0.5, 0.81, 1].map((part) => quantile(values, part))).toEqual([1, 1, 3, 5, 5])
    expect(quantile([7], 0.99)).toBe(7)
    expect(summary([2, 1])).toEqual({ count: 2, p50: 1, p95: 2, p99: 2, max: 2 })
  })

  test('of nothing there is no quantile', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError)
    expect(() => summary([])).toThrow(RangeError)
    expect(() => pairedRatio([[]], [[1]])).toThrow(RangeError)
  })

  // what is measured is never below zero
  test('quantiles grow with the part, whatever the order of the values', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: 0 }), { minLength: 1 }), (values) => {
        const { p50, p95, p99, max } = summary(values)
        expect(p50 <= p95 && p95 <= p99 && p99 <= max).toBe(true)
        expect(values).toContain(p50)
        expect(summary(values.toReversed())).toEqual(summary(values))
      }),
    )
  })

  test('a round in which the machine was busy does not move the ratio', () => {
    const base = [
      [1, 1, 1],
      [10, 10, 10],
      [1, 1, 1],
    ]
    const values = [
      [3, 3, 3],
      [30, 30, 30],
      [90, 90, 90],
    ]
    expect(pairedRatio(values, base)).toBe(30 / 10)
    expect(quietest(values)).toBe(3)
  })
})

describe('options', () => {
  test('--quick does less of everything', () => {
    const full = parseOptions([])
    const quick = parseOptions(['--quick'])
    expect(quick.effort.entries).toEqual(full.effort.entries)
    for (const part of ['rounds', 'turns', 'waves', 'hookRuns', 'matchMs'] as const)
      expect(quick.effort[part]).toBeLessThan(full.effort[part])
  })

  test('--large adds the largest store', () => {
    expect(parseOptions(['--large', '--json', 'x.json'])).toMatchObject({
      json: 'x.json',
      effort: { entries: [10, 1_000, 10_000, 100_000] },
    })
  })

  test('an option that is not there is told', () => {
    expect(() => parseOptions(['--fast'])).toThrow(TypeError)
  })
})

test('a corpus has as many files as wanted, no two under one name', () => {
  for (const size of [1, 10, 10_000]) expect(new Set(corpus(size).map(({ path }) => path)).size).toBe(size)
})

test('a profile counts for the nearest function of ours, and only what lies in the span', () => {
  const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 4 })
  const profile: CpuProfile = {
    nodes: [
      { id: 1, callFrame: frame('(root)', ''), children: [2, 5] },
      { id: 2, callFrame: frame('decide', 'file:///home/dev/contextmd/src/core/decide.ts'), children: [3] },
      { id: 3, callFrame: frame('stat', ''), children: [] },
      { id: 4, callFrame: frame('(idle)', '') },
      { id: 5, callFrame: frame('listener', 'file:///home/dev/contextmd/node_modules/@hono/node-server/dist/index.mjs') },
    ],
    startTime: 0,
    samples: [3, 2, 3, 4, 5],
    timeDeltas: [10, 10, 10, 10, 10],
  }
  const found = shares(profile, '/home/dev/contextmd/', 15, 100)
  expect(found.total).toBe(30)
  expect(found.byModule).toEqual([
    { name: 'core', us: 20 },
    { name: '@hono/node-server', us: 10 },
  ])
  expect(found.onBehalf[0]).toEqual({ name: 'decide  core/decide.ts:5', us: 20 })
  expect(found.byFunction.map(({ name }) => name)).toContain('stat')
})
