import { expect, test } from 'vitest'
import { claudeCode } from '../src/harness/claude-code/profile.ts'
import { NO_CLAIMS } from './claims.ts'
import { claimedSeams, isGood, isProvenEnough, provenShare, seamResults, table } from './report.ts'
import type { CanaryReport } from './report.ts'
import type { RowResult, SeamName } from './row.ts'

function row(seams: readonly SeamName[], passed: boolean): RowResult {
  return { name: seams.join(), seams, passed, failure: passed ? null : 'it was not so', ms: 1, claims: NO_CLAIMS, withoutProof: false }
}

function report(claimed: readonly SeamName[], rows: readonly RowResult[]): CanaryReport {
  return {
    harness: 'claude-code',
    version: '1.2.3',
    at: '2026-01-01T00:00:00.000Z',
    seconds: 1,
    seams: seamResults(claimed, rows),
    rows,
    excused: [],
    claims: provenShare(rows),
  }
}

test('a seam is proven when all of its rows passed and there is one', () => {
  const rows = [row(['prompt inject'], true), row(['prompt inject', 'before-tool deny'], false), row(['session-start inject'], true)]
  const claimed: readonly SeamName[] = ['session-start inject', 'prompt inject', 'before-tool deny', 'batch-end inject']
  expect(seamResults(claimed, rows).map((seam) => seam.state)).toEqual(['proven', 'failed', 'failed', 'untested'])
})

test('a claimed seam without a row fails the whole, but not a narrowed run', () => {
  const one = report(['prompt inject', 'batch-end inject'], [row(['prompt inject'], true)])
  expect(isGood(one, false)).toBe(false)
  expect(isGood(one, true)).toBe(true)
  expect(isGood(report(['prompt inject'], [row([], false), row(['prompt inject'], true)]), true)).toBe(false)
})

test('the table names the version and every seam that the profile of Claude Code claims', () => {
  const claimed = claimedSeams(claudeCode)
  expect(claimed).toContain('before-tool deny')
  const text = table(report(claimed, []))
  for (const seam of claimed) expect(text).toContain(seam)
  expect(text).toContain('1.2.3')
})

test('claims of rows without proof are counted apart, and one in a hundred may stay open', () => {
  const claims = (judged: number, open: number) => ({
    judged,
    open,
    unverified: 0,
    entries: Array.from({ length: open }, () => 'a=served'),
  })
  const rows = [
    { ...row([], true), name: 'usual', claims: claims(99, 1) },
    { ...row([], true), claims: claims(0, 7), withoutProof: true },
  ]
  const share = provenShare(rows)
  expect(share).toEqual({ judged: 99, total: 100, apart: 7, rest: ['usual: a=served'] })
  expect(isProvenEnough(share)).toBe(true)
  expect(isProvenEnough(provenShare([...rows, { ...row([], true), claims: claims(0, 1) }]))).toBe(false)
  expect([80, 199].map((total) => isProvenEnough({ ...share, judged: total - 1, total }))).toEqual([true, true])
  expect(isProvenEnough({ ...share, judged: 376, total: 381 })).toBe(false)
  expect([80, 199].map((total) => isProvenEnough({ ...share, judged: total - 2, total }))).toEqual([false, false])
  expect(isGood({ ...report([], []), claims: { ...share, judged: 90 } }, true)).toBe(false)
  expect(table({ ...report([], []), claims: share })).toContain('99 of 100 (99.0 %); 7 more')
})
