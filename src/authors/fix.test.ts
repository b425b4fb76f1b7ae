import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entryText } from '../stores/scratch-store.fixture.ts'
import { fixed } from './fix.ts'

const MENDED: readonly (readonly [string, string, string])[] = [
  ['a key of an item', 'when:\n  - commnd: git push', 'when:\n  - command: git push'],
  ['a key of the entry', 'must-knw: true\nwhen: {command: x}', 'must-know: true\nwhen: {command: x}'],
  ['a key and its word', 'when:\n  - path: src/**\n    acess: wirte', 'when:\n  - path: src/**\n    access: write'],
  ['a key in a mapping on one line', 'when: {promt: deploy}', 'when: {prompt: deploy}'],
  ['a word', 'when: {prompt: x}\nrepeat: alwas', 'when: {prompt: x}\nrepeat: always'],
  ['a switch', 'when: {command: x}\nmust-know: yes', 'when: {command: x}\nmust-know: true'],
  ['a key of a test', 'when: {command: x}\ntests:\n  - match: {comand: x}', 'when: {command: x}\ntests:\n  - match: {command: x}'],
  ['a tab', 'when:\n\t- command: git push\n\t  failed: true', 'when:\n  - command: git push\n    failed: true'],
  ['a colon', 'when:\n  - prompt: /fix: .*/', "when:\n  - prompt: '/fix: .*/'"],
  ['a backslash in double quotes', 'when:\n  - prompt: "\\d+ items"', "when:\n  - prompt: '\\d+ items'"],
  ['an exclamation mark', 'when:\n  - path: !src/gen/**', "when:\n  - path: '!src/gen/**'"],
  ['an apostrophe in what needs quotes', "when:\n  - prompt: don't: it", "when:\n  - prompt: 'don''t: it'"],
  ['several mistakes', 'titel: X\nwhen:\n  - commnd: a: b\n  - promt: y', "title: X\nwhen:\n  - command: 'a: b'\n  - prompt: y"],
]

test.each(MENDED)('%s', (_, before, after) => {
  expect(fixed(entryText('The rule.', before))).toBe(entryText('The rule.', after))
})

test('a byte order mark and the line ends of Windows', () => {
  expect(fixed(`\uFEFF${entryText('The rule.').replaceAll('\n', '\r\n')}`)).toBe(entryText('The rule.'))
})

describe('what can not be mended without guessing stays as it was written', () => {
  test.each([
    ['a key that is near nothing', 'when: {prompt: x}\ncolour: red'],
    ['a value that fits nothing', 'when: {prompt: x}\npriority: high'],
    ['a missing key', 'title: x'],
    ['an open bracket', 'when: {prompt: [x'],
    ['an entry in order', 'when:\n  - command: git push # not `commnd`'],
  ])('%s', (_, front) => {
    expect(fixed(entryText('The rule.', front))).toBe(entryText('The rule.', front))
  })

  test.each(['', '# A heading\r\n', '---\r\nwhen: {commnd: x}\r\n'])('a file that is no entry: %j', (text) => {
    expect(fixed(text)).toBe(text)
  })
})

test('any text: the body stays, and a second pass changes nothing', () => {
  const front = fc.array(
    fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('when:', '\t- commnd: a: b', 'acess: wirte', 'repeat: alwas', '- !x')),
    {
      maxLength: 6,
    },
  )
  fc.assert(
    fc.property(front, fc.stringMatching(/^[a-z:\t -]{0,30}$/), (lines, body) => {
      const after = fixed(entryText(body, lines.join('\n')))
      expect(after.endsWith(`---\n${body}\n`)).toBe(true)
      expect(fixed(after)).toBe(after)
    }),
    { numRuns: 60 },
  )
})
