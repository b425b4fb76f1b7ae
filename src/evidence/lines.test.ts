import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Lines, MAX_LINE_BYTES } from './lines.ts'

function taken(pieces: readonly Buffer[]): readonly string[] {
  const lines = new Lines()
  const found: string[] = []
  for (const piece of pieces) lines.push(piece, (line) => found.push(line))
  return found
}

describe('lines', () => {
  test('however the bytes are cut, the same lines come out, and never the unfinished one', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll('\n', ' '))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), line, fc.array(fc.nat(40), { maxLength: 20 }), (whole, unfinished, cuts) => {
        const bytes = Buffer.from(whole.map((text) => `${text}\n`).join('') + unfinished)
        const pieces: Buffer[] = []
        let from = 0
        for (const length of cuts) {
          // the reader uses one buffer again and again
          pieces.push(bytes.subarray(from, from + length))
          from += length
        }
        pieces.push(bytes.subarray(from))
        expect(taken(pieces)).toEqual(whole.filter((text) => text !== ''))
      }),
    )
  })

  test('what is kept does not change with the buffer it came in', () => {
    const lines = new Lines()
    const found: string[] = []
    const buffer = Buffer.from('half')
    lines.push(buffer, (line) => found.push(line))
    buffer.fill('x')
    lines.push(Buffer.from(' whole\n'), (line) => found.push(line))
    expect(found).toEqual(['half whole'])
  })

  test('a line that is too long is passed over, the next one is not', () => {
    const long = Buffer.alloc(MAX_LINE_BYTES / 2 + 1, 'x')
    expect(taken([Buffer.from('a\n'), long, long, Buffer.from('x\nb\n')])).toEqual(['a', 'b'])
  })
})
