/** The tables in docs/harnesses are current: they name the version that the profile claims as proven, and every seam of it. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { docsFile, partIn, partOf, withPart } from './docs.ts'
import { claimedSeams } from './report.ts'
import type { CanaryReport } from './report.ts'
import { SUBJECTS } from './subjects.ts'

const REPORT: CanaryReport = {
  harness: 'codex',
  version: '1.2.3',
  at: '2026-01-05T09:00:00.000Z',
  seconds: 1,
  seams: [{ seam: 'prompt inject', state: 'proven', rows: 2 }],
  rows: [],
  excused: [{ name: 'two | gates', excuse: { since: '2026-01-05', why: 'one fits' } }],
  claims: { judged: 9, total: 9, apart: 1, rest: [] },
}

test('the part is put at the end once, and replaced after that', () => {
  const once = withPart('# Codex\n\nWords.\n', partOf(REPORT))
  expect(once).toContain('| prompt inject | proven | 2 |')
  expect(once).toContain('| two \\| gates | not played (2026-01-05): one fits |')
  expect(once).toContain('Of 9 texts that were handed over 9 ended shown, hidden or cut, and 1 more')
  const twice = withPart(`${once}\nMore words.\n`, partOf({ ...REPORT, version: '1.2.4' }))
  expect(twice).toContain('**1.2.4**')
  expect(twice).not.toContain('1.2.3')
  expect(twice.match(/## What the canary proved/g)).toHaveLength(1)
  expect(twice.endsWith('More words.\n')).toBe(true)
})

const PINNED = Object.entries(SUBJECTS).filter(([name, { profile }]) => name === profile.name)

test.each(PINNED)('the table of %s names the version, and every seam of the profile as proven', async (name, { profile }) => {
  const part = partIn(await readFile(docsFile(name), 'utf8')) ?? ''
  expect(part).toContain(`On **${profile.proven.to}**`)
  const told = [...part.matchAll(/^\| (\S+ (?:inject|deny)) \| (\w+) \|/gm)].map(([, seam, state]) => `${seam} ${state}`)
  expect(told.toSorted()).toEqual(
    claimedSeams(profile)
      .map((seam) => `${seam} proven`)
      .toSorted(),
  )
})
