import { expect, test } from 'vitest'
import { STUB_BYTES } from './compose.ts'
import { Bed, claimsOf, compactReason, entry, outcomes, profile } from './core.fixture.ts'
import { HELD_WAVES_CAP } from './gate.ts'
import type { Reply } from './reply.ts'
import { bytesOf } from './text.ts'

const held = entry('held', { mustKnow: true, title: 'Commit messages' })
const pointer = entry('pointer', { mustKnow: true, read: ['/home/dev/rules/guide.md'] })
const forbidden = entry('forbidden', { forbid: true })

function reasonOf(reply: Reply): string {
  return reply.kind === 'deny' ? reply.reason : ''
}

test('G11: a deny whose proof is pending is logged as held; only the judgement completes its row', () => {
  const bed = new Bed()
  const denied = bed.before([held])
  expect(outcomes(denied)).toEqual({ held: 'held' })
  bed.handed(denied)
  expect(bed.claimRows).toEqual([])
  bed.shown(denied)
  expect(bed.claimRows).toMatchObject([{ claim: claimsOf(denied)[0], verdict: 'shown' }])
})

test('G14: the reason says that it is a rule and no failure, names it, and says what to do next', () => {
  expect(reasonOf(new Bed().before([held]).reply)).toMatch(/^Not a failure: rule "Commit messages".*repeat this call\.$/)
  expect(reasonOf(new Bed().before([pointer]).reply)).toMatch(
    /^Not a failure: rule "pointer" must be read first\. Read the file.*repeat this call\.$/,
  )
})

test.each([
  ['beside the reason', undefined, 'Follow what stands beside this'],
  ['inside the reason', { ...profile, denyText: 'reason' as const }, 'Follow what stands below'],
  ['inside a short reason', compactReason, 'heed it and retry'],
])('G14: with the text %s, the stub says where it stands, and all of it comes before what to do with the call', (_, place, where) => {
  const bed = new Bed()
  if (place !== undefined) bed.profile = place
  const first = bed.before([held], 'a')
  expect(reasonOf(first.reply).split('\n')[0]).toContain(where)
  // the other calls of the wave have no text of their own
  const beside = bed.before([held], 'b')
  expect(beside.reply).toMatchObject({ text: '' })
  expect(reasonOf(beside.reply)).toMatch(
    /^Not a failure: rule "Commit messages".*came with another call: follow it, then repeat this call\.$/,
  )
  expect(bytesOf(reasonOf(beside.reply))).toBeLessThanOrEqual(STUB_BYTES)
})

test('G16: a held call that is repeated unchanged gets a shorter text, and is let through after five waves of any verdict', () => {
  const bed = new Bed()
  const texts: string[] = []
  for (let wave = 0; wave <= HELD_WAVES_CAP; wave += 1) {
    const decision = bed.before([held], `call${wave}`)
    if (decision.reply.kind === 'deny') texts.push(decision.reply.text)
    bed.handed(decision)
    bed.batchEnd(`call${wave}`)
  }
  expect(texts).toHaveLength(HELD_WAVES_CAP)
  expect(new Set(texts).size).toBe(texts.length)
  // a long text would be sent again and again; the pointer to it is one line
  expect(texts.slice(1).every((text) => text.includes(`Read before you go on: ${held.file}`))).toBe(true)
})

test('G16: a forbidden call that is repeated for ever gets its text once, then a free stub', () => {
  const bed = new Bed()
  const first = bed.before([forbidden], 'call0')
  bed.handed(first)
  bed.batchEnd('call0')
  bed.shown(first)
  for (let wave = 1; wave < 20; wave += 1) {
    const decision = bed.before([forbidden], `call${wave}`)
    expect(decision.reply).toMatchObject({ kind: 'deny', text: '' })
    expect(bytesOf(reasonOf(decision.reply))).toBeLessThanOrEqual(STUB_BYTES)
    bed.handed(decision)
    bed.batchEnd(`call${wave}`)
  }
  expect(bed.context.claims).toEqual([])
})

test('G17: a refusal names the way that is open: ask the person, who is told how to allow it', () => {
  const { reply } = new Bed().before([forbidden])
  expect(reasonOf(reply)).toMatch(/Do not work around it; if it seems wrong here, ask the person\.$/)
  expect(reply).toMatchObject({ notice: expect.stringContaining('contextmd lift forbidden') })
  expect(new Bed().before([held]).reply).toMatchObject({ notice: expect.stringContaining('contextmd lift held') })
})

test('G22: an inline rule that had to be sent as a pointer lifts by a read of its own file', () => {
  const long = entry('long', { mustKnow: true, text: 'x'.repeat(20_000) })
  const bed = new Bed()
  bed.file(long.file, { entry: long.id, hash: long.hash, targets: [], own: [long.file] })
  const denied = bed.before([long], 'call1')
  expect(denied.reply).toMatchObject({ kind: 'deny', text: expect.stringContaining(long.file) })
  bed.handed(denied)
  bed.batchEnd('call1')
  bed.shown(denied)
  expect(bed.before([long], 'call2').reply.kind).toBe('deny')
  bed.after([], 'read', [long.file])
  bed.batchEnd('read', 'call2')
  expect(outcomes(bed.before([long], 'call3'))).toEqual({ long: 'lifted' })
  expect(bed.gateRows.at(-1)).toMatchObject({ entry: 'long', lift: 'read' })
})
