import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isWithinShape } from './json-shape.ts'

/** Depth and number of values of what was parsed. */
function measure(value: unknown): { readonly depth: number; readonly values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 }
  const inner = Object.values(value).map(measure)
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
  }
}

test('whatever the JSON, its depth is told exactly, and its values at most twice', () => {
  const property = fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (value, space) => {
    const bytes = Buffer.from(JSON.stringify(value, null, space))
    const { depth, values } = measure(value)
    const bounds = { depth, values: 2 * values, keys: values }
    expect(isWithinShape(bytes, bounds)).toBe(true)
    if (depth > 0) expect(isWithinShape(bytes, { ...bounds, depth: depth - 1 })).toBe(false)
  })
  fc.assert(property, { numRuns: 300 })
})

test.each([
  ['brackets in a text', JSON.stringify({ a: '[[[[{{{{,,,,' }), true],
  ['an escaped quote in a text', JSON.stringify('"[[[['), true],
  ['backslashes at the end of a text', JSON.stringify(['\\\\', '[[[[']), true],
  ['a text without an end', '["[[[[', true],
  ['lists in lists', '[[[[', false],
  ['objects in objects', '{"a":{"a":{"a":{', false],
  ['more values than are taken', '[1,2,3,4,5,6,7,8,9]', false],
  ['more keys than are taken', '{"a":1,"b":2,"c":3,"d":4}', false],
  ['few keys in each of several objects', '[{"a":1,"b":2},{"a":1}]', true],
  ['empty objects', '[{},{},{},{},{}]', false],
])('%s', (_, text, isWithin) => {
  expect(isWithinShape(Buffer.from(text), { depth: 3, values: 8, keys: 2 })).toBe(isWithin)
})
