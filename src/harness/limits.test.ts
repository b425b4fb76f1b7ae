import { expect, test } from 'vitest'
import type { Limit, Profile } from '../core/profile.ts'
import { claudeCode } from './claude-code/profile.ts'
import { codex } from './codex/profile.ts'
import { grok } from './grok/profile.ts'
import { opencode } from './opencode/profile.ts'

interface Takes {
  readonly profile: Profile
  /** What the harness takes whole, as measured. Null: whatever comes. */
  readonly text: Limit | null
  /** The same for a deny's reason, where it is less. */
  readonly reason: Limit | null
}

const TAKES: readonly Takes[] = [
  { profile: claudeCode, text: { unit: 'utf16', max: 10_000 }, reason: null },
  { profile: codex, text: { unit: 'bytes', max: 10_000 }, reason: null },
  { profile: grok, text: { unit: 'utf16', max: 10_000 }, reason: { unit: 'utf16', max: 256 } },
  { profile: opencode, text: null, reason: null },
]

test.each(TAKES)('law 1: one answer stays below what $profile.name takes, in its own unit, with room to spare', (takes) => {
  const { profile, text, reason } = takes
  const limits = Object.values(profile.seams).flatMap((seam) => seam.inject ?? [])
  expect(limits.length).toBeGreaterThan(0)
  for (const { unit, max } of limits) {
    if (text === null) continue
    expect(unit).toBe(text.unit)
    expect(max).toBeLessThanOrEqual(text.max * 0.95)
  }
  if (reason !== null) expect(profile.denyReason?.unit).toBe(reason.unit)
  if (reason !== null) expect(profile.denyReason?.max).toBeLessThan(reason.max)
})
