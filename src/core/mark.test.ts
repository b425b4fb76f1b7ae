import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { id, type ClaimId } from './id.ts'
import { closeMark, deliveryMarkOf, findMarks, openMark } from './mark.ts'

const claim = id<ClaimId>('k3f9x2.1')
const marked = (of: ClaimId, title: string, text: string) => `${openMark(of, title)}\n${text}\n${closeMark(of)}`

describe('marks', () => {
  test('any text is found again whole, whatever stands around it', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 60 })
    fc.assert(
      fc.property(word, word, word, word, (before, title, text, after) => {
        const found = findMarks(`${before}\n${marked(claim, title, text)}\n${after}`)
        expect(found).toContainEqual({ claim, text })
      }),
    )
  })

  test('two texts in one reply are told apart', () => {
    const other = id<ClaimId>('k3f9x2.2')
    const reply = `Rules:\n${marked(claim, 'One', 'first')}\n${marked(other, 'Two', 'second\n\nmore')}`
    expect(findMarks(reply)).toEqual([
      { claim, text: 'first' },
      { claim: other, text: 'second\n\nmore' },
    ])
  })

  test('without its closing mark a text is cut', () => {
    expect(findMarks(marked(claim, 'T', 'a long text').slice(0, -3))).toEqual([{ claim, text: null }])
  })

  test('a title cannot end its mark', () => {
    expect(openMark(claim, 'a ] b\n[c]')).toBe('[ContextMD k3f9x2.1 a b c]')
    expect(openMark(claim, ' ')).toBe('[ContextMD k3f9x2.1]')
  })

  test('R6: a claim whose id ends alike, or holds a wildcard, is another claim', () => {
    const text = marked(id<ClaimId>('prior-k3f9x2.1'), 'T', 'x')
    expect(findMarks(text).map((mark) => mark.claim)).toEqual(['prior-k3f9x2.1'])
    expect(findMarks(marked(id<ClaimId>('k3f9x2.11'), 'T', 'x')).map((mark) => mark.claim)).toEqual(['k3f9x2.11'])
    expect(findMarks('[ContextMD k3f9x2.% T]\nx\n[/ContextMD k3f9x2.%]')).toEqual([])
  })

  test('the claims of one reply share its mark', () => {
    expect(deliveryMarkOf(claim)).toBe('k3f9x2')
  })
})
