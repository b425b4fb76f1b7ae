import { describe, expect, test } from 'vitest'
import { COMMAND_CASES } from '../command.cases.fixture.ts'
import { matchPlainly } from '../plain.ts'
import { beforeTool, entry } from '../subject.fixture.ts'

const matches = (pattern: string, command: string) =>
  matchPlainly([entry({ when: [{ command: [pattern] }] })], beforeTool({ command })).candidates.length === 1

describe.each(COMMAND_CASES)('$about command: $pattern', ({ pattern, yes, no }) => {
  test.each(yes)('use: %s', (command) => expect(matches(pattern, command)).toBe(true))
  test.each(no)('no use: %s', (command) => expect(matches(pattern, command)).toBe(false))
})

test('the table is as large as it should be', () => {
  expect(new Set(COMMAND_CASES.flatMap(({ yes, no }) => [...yes, ...no])).size).toBeGreaterThanOrEqual(300)
})
