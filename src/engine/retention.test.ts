import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { retention, retentionIn } from './retention.ts'

const DAY_MS = 86_400_000
const NOW = 1_000 * DAY_MS

test('by default 30 days, 2,000,000 moments and 2 GB; replies 10 minutes', () => {
  expect(retention(NOW)).toEqual({ answers: NOW - 600_000, log: NOW - 30 * DAY_MS, rows: 2_000_000, bytes: 2 * 1024 ** 3 })
})

test('serving.json says otherwise, and counts as it stands now; a bad one keeps what was good', () => {
  const config = mkdtempSync(join(tmpdir(), 'contextmd-retention-'))
  onTestFinished(() => rmSync(config, { recursive: true, force: true }))
  const serving = join(config, 'serving.json')
  const kept = retentionIn({ serving, config }, { HOME: config })
  const write = (log: unknown) => writeFileSync(serving, JSON.stringify({ stores: [], log }))
  expect(kept(NOW)).toEqual(retention(NOW))
  write({ days: 7, rows: 1_000 })
  expect(kept(NOW)).toEqual({ ...retention(NOW), log: NOW - 7 * DAY_MS, rows: 1_000 })
  write({ megabytes: 100 })
  expect(kept(NOW)).toEqual({ ...retention(NOW), bytes: 100 * 1024 ** 2 })
  write({ megabytes: 'much' })
  expect(kept(NOW)).toEqual({ ...retention(NOW), bytes: 100 * 1024 ** 2 })
})
