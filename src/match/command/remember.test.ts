import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rememberLatest } from './remember.ts'

test('whatever was asked before, the answer is that of asking anew', () => {
  const text = fc.constantFrom('', 'a', 'b', 'a\nb', '\0', 'a\0', '","', 'x'.repeat(5_000))
  const texts = fc.array(fc.array(text, { maxLength: 3 }), { maxLength: 300 })
  fc.assert(
    fc.property(texts, (asked) => {
      const ask = (...parts: readonly string[]): string => JSON.stringify(parts)
      const remembering = rememberLatest(ask, () => 1)
      for (const parts of asked) expect(remembering(...parts)).toBe(ask(...parts))
    }),
  )
})

test('a line is looked at once, until 64 others came, or if it or its answer is very long', () => {
  const asked: string[] = []
  const ask = rememberLatest(
    (line = '') => {
      asked.push(line)
      return line
    },
    (line) => (line === 'many' ? 501 : 1),
  )
  const long = 'x'.repeat(5_000)
  for (const line of ['a', 'a', long, long, 'many', 'many']) ask(line)
  expect(asked).toEqual(['a', long, long, 'many', 'many'])
  for (let other = 0; other < 64; other += 1) ask(String(other))
  ask('63')
  ask('a')
  expect(asked.filter((line) => line === '63')).toHaveLength(1)
  expect(asked.filter((line) => line === 'a')).toHaveLength(2)
})
