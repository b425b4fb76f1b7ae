import { expect, test } from 'vitest'
import { claimCounts, claimsOf, counted, NO_CLAIMS } from './claims.ts'
import type { LogRow } from './contextmd.ts'

type Candidate = LogRow['candidates'][number]

function row(...candidates: readonly Candidate[]): LogRow {
  const ids = { context: 'c', session: 's', run: null, number: 1, seq: 1, epoch: 0, wave: 0 }
  return { ...ids, kind: 'before-tool', event: 'PreToolUse', outcome: 'served', why: null, candidates: [...candidates], gates: [] }
}

const claim = (entry: string, outcome: string, bytes = 10): Candidate => ({ entry, outcome, claim: 'k', bytes, why: null })

test('claims are told by what became of them; what reached nobody, and stubs, are no claims', () => {
  const rows = [
    row(claim('rules/a', 'shown'), claim('rules/b', 'served'), claim('rules/a', 'hidden', 0)),
    row(claim('rules/a', 'cut'), claim('rules/c', 'unverified'), claim('rules/d', 'dropped')),
    row({ ...claim('rules/e', 'known'), claim: null }),
  ]
  expect(counted(rows)).toEqual({ judged: 2, unverified: 1, open: 1, entries: ['rules/b=served', 'rules/c=unverified'] })
  expect(claimsOf(rows, 'a')).toEqual(['shown', 'cut'])
})

test('a row without a server has none', async () => {
  expect(await claimCounts(null, true)).toEqual(NO_CLAIMS)
})
