import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const KEYS = ['title', 'must-know', 'when', 'read', 'repeat', 'run', 'id']

test.each([
  ['titel', 'title'],
  ['tittle', 'title'],
  ['mustKnow', 'must-know'],
  ['must_know', 'must-know'],
  ['wehn', 'when'],
  ['When', 'when'],
  ['on', null],
  ['description', null],
  ['', null],
])('%s is meant as %s', (written, meant) => {
  expect(nearest(written, KEYS)).toBe(meant)
})

test('a known word is its own nearest', () => {
  for (const key of KEYS.filter((word) => word.length > 2)) expect(nearest(key, KEYS)).toBe(key)
})

test('one slip in a word of five letters and more is always found', () => {
  const word = fc.string({ minLength: 5, maxLength: 12, unit: fc.constantFrom(...'abcdefgh') })
  fc.assert(
    fc.property(word, fc.nat(), (known, at) => {
      const place = at % known.length
      expect(nearest(`${known.slice(0, place)}${known.slice(place + 1)}`, [known])).toBe(known)
      expect(nearest(`${known.slice(0, place)}x${known.slice(place)}`, [known])).toBe(known)
    }),
  )
})
