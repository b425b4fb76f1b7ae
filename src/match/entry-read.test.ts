import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entryHead, fileOfEntryRead, isEntryRead } from './entry-read.ts'

test('the file that a result names is read back, whatever the title holds and whatever a harness puts before it', () => {
  const title = fc.string({ unit: 'binary', maxLength: 80 })
  const path = fc.array(fc.stringMatching(/^[\w .@-]{1,20}$/), { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join('/')}`)
  fc.assert(
    fc.property(title, path, fc.constantFrom('', 'Wall time: 0.1 seconds\nOutput:\n'), (name, file, before) => {
      expect(fileOfEntryRead(`${before}${entryHead('rules/a', name, file)}\n\ntext`)).toBe(file)
    }),
  )
})

test.each(['', 'File: /home/dev/a.md', 'Entry: rules/a (A)\nFile: a.md', `${'x'.repeat(5_000)}\nEntry: rules/a (A)\nFile: /home/dev/a.md`])(
  'a result without the head names no file: %j',
  (text) => expect(fileOfEntryRead(text)).toBeNull(),
)

test.each([
  ['mcp:contextmd/read_entry', true],
  ['mcp__contextmd__read_entry', true],
  ['contextmd_read_entry', true],
  ['read_entry', false],
  ['mcp:x/unread_entry', false],
  ['mcp:x/read_entry_2', false],
])('%s is our tool: %s', (tool, expected) => expect(isEntryRead(tool)).toBe(expected))
