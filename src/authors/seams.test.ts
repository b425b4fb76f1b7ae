import { expect, test } from 'vitest'
import type { Entry, TriggerItem } from '../core/entry.ts'
import type { Profile } from '../core/profile.ts'
import { claudeCode } from '../harness/claude-code/profile.ts'
import { entry } from '../match/subject.fixture.ts'
import { seamsOf } from './seams.ts'

const command: TriggerItem = { command: ['git push'] }
/** A harness that takes text after a call only, and can deny none. */
const narrow: Profile = { ...claudeCode, name: 'grok', seams: { 'after-tool': { inject: { unit: 'bytes', max: 400 }, deny: false } } }

/** One that clips the reason of a deny, and drops what stands beside it. */
const clipped: Profile = {
  ...claudeCode,
  seams: { 'before-tool': { inject: null, deny: true } },
  denyText: 'reason',
  denyReason: { unit: 'utf16', max: 256 },
}

const CASES: readonly (readonly [string, Partial<Entry> & { readonly when: readonly TriggerItem[] }, Profile, readonly object[]])[] = [
  ['plain, before a call', { when: [command] }, claudeCode, [{ moment: 'before-tool', arrival: 'late', size: 'whole' }]],
  ['a gate', { when: [command], mustKnow: true }, claudeCode, [{ moment: 'before-tool', arrival: 'holds', size: 'whole' }]],
  ['a forbid', { when: [command], forbid: true }, claudeCode, [{ moment: 'before-tool', arrival: 'forbids' }]],
  ['a pointer', { when: [command], read: ['/a.md'] }, claudeCode, [{ size: 'pointer' }]],
  ['a prompt', { when: [{ prompt: ['x'] }] }, claudeCode, [{ moment: 'prompt', arrival: 'beside' }]],
  [
    'a pack',
    { when: [{ session: ['start', 'subagent'] }] },
    claudeCode,
    [{ moment: 'session-start', arrival: 'beside' }, { moment: 'subagent-start' }],
  ],
  ['a result', { when: [{ failed: true }] }, claudeCode, [{ moment: 'after-tool', arrival: 'beside' }]],
  ['X1: too long for one answer', { when: [{ failed: true }], text: 'x'.repeat(500) }, narrow, [{ size: 'over the limit of the harness' }]],
  ['too long for a run', { when: [command], text: 'x'.repeat(8_000) }, claudeCode, [{ size: 'over the budget of a run' }]],
  ['no seam at a prompt', { when: [{ prompt: ['x'] }] }, narrow, [{ moment: 'prompt', arrival: 'carried' }]],
  ['nothing can be held', { when: [command], mustKnow: true }, narrow, [{ moment: 'before-tool', arrival: 'carried' }]],
  [
    'a deny whose reason is clipped',
    { when: [command], mustKnow: true, text: 'x'.repeat(300) },
    clipped,
    [{ arrival: 'holds', size: 'over the limit of the harness' }],
  ],
  ['out of scope', { when: [command], scope: { harnesses: ['codex'] } }, claudeCode, []],
]

test.each(CASES)('%s', (_, own, profile, seams) => {
  expect(seamsOf(entry(own), profile)).toMatchObject(seams)
  expect(seamsOf(entry(own), profile)).toHaveLength(seams.length)
})
