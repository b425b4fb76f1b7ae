/** Parsing one entry of a store, for tests. */
import { expect } from 'vitest'
import { parseEntry, type ParsedEntry } from './parse-entry.ts'
import { entryText } from './scratch-store.fixture.ts'

const STORE = { name: 'team', folder: '/rules' }
const OPTIONS = { home: '/home/dev' }

export function parse(text: string | Uint8Array, file = '/rules/git/commits.md'): ParsedEntry {
  return parseEntry(file, typeof text === 'string' ? Buffer.from(text) : text, STORE, OPTIONS)
}

/** The entry of these front matter lines; fails if it has a mistake. */
export function entryOf(...lines: string[]) {
  const { entry, problems } = parse(entryText('The rule.', lines.join('\n')))
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  return entry
}
