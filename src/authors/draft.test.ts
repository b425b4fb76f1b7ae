import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseEntry } from '../stores/parse-entry.ts'
import { draft, type DraftItem } from './draft.ts'
import { evaluate } from './evaluate.ts'
import { entrySchema } from '../stores/entry-schema.ts'
import { sourceOf } from '../stores/source.ts'
import { yamlValues } from '../stores/yaml-values.ts'

const place = { file: '/rules/a.md', store: { name: 'rules', folder: '/rules' }, home: '/home/dev' }

function drafted(when: DraftItem) {
  const bytes = Buffer.from(draft({ title: 'A: "b"', text: 'Do it.', mustKnow: false, forbid: false, when }, place))
  const parsed = parseEntry(place.file, bytes, place.store, { home: place.home })
  const source = sourceOf(bytes)
  const tests = source.ok ? (entrySchema.parse(yamlValues(source.frontMatter).value).tests ?? []) : []
  return { ...parsed, tests }
}

const WITH_TESTS: readonly (readonly [DraftItem, number])[] = [
  [{ command: ['git push --force'] }, 2],
  [{ command: ['make'], failed: true }, 2],
  [{ path: ['src/api/**/*.{ts,tsx}'], access: 'write' }, 2],
  [{ prompt: ['release', 'publish a version'] }, 2],
  [{ output: ['EADDRINUSE'] }, 1],
  [{ session: ['start'] }, 1],
  [{ tool: ['mcp:github/create_issue'] }, 1],
  [{ prompt: ['/v\\d+/'] }, 1],
]

test.each(WITH_TESTS)('%j comes with tests that hold', (when, count) => {
  const { entry, problems, tests } = drafted(when)
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(tests).toHaveLength(count)
  expect(entry).toMatchObject({ title: 'A: "b"', text: 'Do it.' })
  for (const one of tests) {
    const told = one.match ?? one['no-match']
    expect(told && entry && evaluate(entry, told)?.matched).toBe(one.match !== undefined)
  }
})

test('whatever a person gives becomes an entry, or a mistake that lint can tell', () => {
  const text = fc.string({ minLength: 1, maxLength: 12 }).filter((one) => one.trim() !== '')
  fc.assert(
    fc.property(fc.constantFrom('command', 'path', 'prompt', 'output'), text, (key, value) => {
      const { entry, problems, tests } = drafted({ [key]: [value] })
      expect(entry !== null || problems.some(({ severity }) => severity === 'error')).toBe(true)
      for (const one of tests) expect(entry && one.match ? evaluate(entry, one.match)?.matched : true).toBe(true)
    }),
    { numRuns: 80 },
  )
})
