import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LIFTS, MOMENT_OUTCOMES, OUTCOMES } from '../core/outcome.ts'
import { command } from './log.ts'

const WORDS = readFileSync(new URL('../../docs/words.md', import.meta.url), 'utf8')

test.each(Object.entries({ ...OUTCOMES, ...LIFTS }))(
  '%s means one thing, in the page of words and in the help of the log',
  (word, meaning) => {
    expect(WORDS).toContain(`| \`${word}\` | ${meaning} |`)
    expect(command.usage).toContain(`${word.padEnd(20)}${meaning}`)
  },
)

test.each(Object.entries(MOMENT_OUTCOMES))('%s of a moment stands in the page of words', (word, meaning) => {
  expect(WORDS).toContain(`| \`${word}\` | ${meaning} |`)
})
