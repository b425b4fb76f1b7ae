import { describe, expect, test } from 'vitest'
import { LANE_BYTES } from './budget.ts'
import { STUB_BYTES } from './compose.ts'
import { Bed, claimsOf, entry, hashOf, outcomes, profile } from './core.fixture.ts'
import type { Entry } from './entry.ts'
import { id, type CallId } from './id.ts'
import { findMarks } from './mark.ts'
import { bytesOf } from './text.ts'

const rule = entry('rule')
const held = entry('held', { mustKnow: true })
const forbidden = entry('forbidden', { forbid: true })

describe('plain entries', () => {
  test('are served once an epoch: then on their way, then known', () => {
    const bed = new Bed()
    const first = bed.prompt([rule])
    expect(first.reply.kind).toBe('serve')
    expect(outcomes(bed.prompt([rule]))).toEqual({ rule: 'pending' })
    bed.handed(first)
    bed.shown(first)
    const again = bed.prompt([rule])
    expect([again.reply.kind, outcomes(again)]).toEqual(['nothing', { rule: 'known' }])
  })

  test('T7: the same text is not injected at every call', () => {
    const bed = new Bed()
    let served = 0
    for (let round = 0; round < 88; round += 1) {
      const decision = bed.before([rule], `call${round}`)
      if (decision.reply.kind === 'serve') served += 1
      bed.handed(decision)
      bed.batchEnd(`call${round}`)
      bed.shown(decision)
    }
    expect(served).toBe(1)
  })

  test('repeat: run and always', () => {
    const bed = new Bed()
    const perRun = entry('per-run', { repeat: 'run' })
    const always = entry('always', { repeat: 'always' })
    const first = bed.prompt([perRun, always])
    bed.handed(first)
    bed.shown(first)
    expect(outcomes(bed.before([perRun, always]))).toEqual({ 'per-run': 'known', always: 'served' })
    bed.run = 'run#2' as typeof bed.run // a brand has no value
    expect(outcomes(bed.prompt([perRun]))).toEqual({ 'per-run': 'served' })
  })

  test('law 15: an edited entry is served again', () => {
    const bed = new Bed()
    const first = bed.prompt([rule])
    bed.handed(first)
    bed.shown(first)
    expect(outcomes(bed.prompt([entry('rule', { text: 'Another text.' })]))).toEqual({ rule: 'served' })
  })

  test("a text over the answer's limit or the run's budget becomes a pointer to its file", () => {
    const bed = new Bed()
    const long = entry('long', { text: 'x'.repeat(9_600), priority: 1 })
    const fat = entry('fat', { text: 'y'.repeat(7_500) })
    const more = entry('more', { text: 'z'.repeat(1_000) })
    const decision = bed.prompt([long, fat, more])
    expect(outcomes(decision)).toEqual({ long: 'pointed', fat: 'served', more: 'pointed' })
    const text = decision.reply.kind === 'serve' ? decision.reply.text : ''
    expect(text).toContain('/home/dev/rules/long.md')
    expect(bytesOf(text)).toBeLessThanOrEqual(LANE_BYTES.rules)
  })

  test('G4: what has to stand whole is the whole text, not its beginning', () => {
    const [one, two] = ['x', 'y'].map((end) => entry(end, { text: `${'Rules that begin alike. '.repeat(20)}${end}` }))
    const bed = new Bed()
    bed.prompt([one!, two!])
    expect(bed.context.claims.map((claim) => claim.textHash)).toEqual([hashOf(one!.text), hashOf(two!.text)])
  })

  test('the text says where it comes from and stands whole between its marks (X4)', () => {
    const decision = new Bed().prompt([rule])
    const text = decision.reply.kind === 'serve' ? decision.reply.text : ''
    expect(text).toMatch(/^Rules that the people of this project keep/)
    expect(findMarks(text)).toEqual([{ claim: claimsOf(decision)[0], text: rule.text }])
  })
})

describe('gates', () => {
  test('law 5: one deny for all, forbid first, then gates by priority; plain entries wait for the retry', () => {
    const bed = new Bed()
    const high = entry('high', { mustKnow: true, priority: 9 })
    const decision = bed.before([rule, held, high, forbidden])
    expect(decision.reply.kind).toBe('deny')
    expect(outcomes(decision)).toEqual({ forbidden: 'forbidden', high: 'held', held: 'held', rule: 'waiting' })
    const deny = decision.reply.kind === 'deny' ? decision.reply : null
    expect(findMarks(deny?.text ?? '').map((mark) => mark.text)).toEqual([forbidden.text, high.text, held.text])
    expect(deny?.reason).toContain('forbidden')
  })

  test('law 5: where the harness can stop no call, a gate is a text beside it', () => {
    const bed = new Bed()
    bed.profile = { ...profile, seams: { 'before-tool': { inject: { unit: 'utf16', max: 9_500 }, deny: false } } }
    const served = bed.before([held])
    expect([served.reply.kind, outcomes(served)]).toEqual(['serve', { held: 'served' }])
  })

  test('law 15: an edited entry is armed anew, and half a read of the old text is none of the new one', () => {
    const bed = new Bed()
    const pages = ['/home/dev/wiki/a.md', '/home/dev/wiki/b.md']
    const read = (path: string) => bed.judge([{ kind: 'read', path, call: id<CallId>('read') }])
    const before = entry('pointer', { mustKnow: true, read: pages })
    const edited = entry('pointer', { mustKnow: true, read: pages, text: 'Edited.' })
    const inForce = ({ id: of, hash, file }: Entry) => {
      for (const path of pages) bed.file(path, { entry: of, hash, targets: pages, own: [file] })
    }
    inForce(before)
    read(pages[0]!)
    inForce(edited)
    read(pages[1]!)
    expect(bed.before([edited], 'a').reply.kind).toBe('deny')
    read(pages[0]!)
    expect(outcomes(bed.before([edited], 'b'))).toEqual({ pointer: 'lifted' })
    expect(bed.before([before], 'c').reply.kind).toBe('deny')
  })

  test('law 2: the stub is short and free, whatever the title', () => {
    for (const title of ['x', 'ä'.repeat(300), '👍'.repeat(99), 'a "quoted" one']) {
      for (const kind of [{ mustKnow: true }, { forbid: true }, { mustKnow: true, read: ['/home/dev/wiki/page.md'] }]) {
        const bed = new Bed()
        for (const call of ['a', 'b']) {
          const deny = bed.before([entry('any', { title, ...kind })], call).reply
          expect(deny.kind === 'deny' && bytesOf(deny.reason)).toBeLessThanOrEqual(STUB_BYTES)
        }
      }
    }
  })

  test('an inline gate lifts on its text shown, and the retry is let through', () => {
    const bed = new Bed()
    const denied = bed.before([held], 'a')
    bed.handed(denied)
    bed.batchEnd('a')
    bed.shown(denied)
    const retry = bed.before([held, rule], 'b')
    expect(outcomes(retry)).toEqual({ held: 'lifted', rule: 'served' })
    expect(bed.gateRows).toEqual([expect.objectContaining({ entry: 'held', lift: 'shown' })])
  })

  test('a pointer gate lifts on the read of its target, proven by the order of hooks', () => {
    const bed = new Bed()
    const page = '/home/dev/wiki/page.md'
    const pointer = entry('pointer', { mustKnow: true, read: [page] })
    bed.file(page, { entry: pointer.id, hash: pointer.hash, targets: [page], own: [pointer.file] })
    bed.handed(bed.before([pointer], 'a'))
    bed.batchEnd('a')
    bed.before([], 'read')
    bed.after([], 'read', [page])
    // law 6: calls of one wave never free each other
    expect(bed.before([pointer], 'same-wave').reply.kind).toBe('deny')
    bed.batchEnd('read', 'same-wave')
    expect(outcomes(bed.before([pointer], 'b'))).toEqual({ pointer: 'lifted' })
  })

  test('G19: a read whose batch is not over frees nothing', () => {
    const bed = new Bed()
    const pointer = entry('pointer', { mustKnow: true })
    bed.file(pointer.file, { entry: pointer.id, hash: pointer.hash, targets: [], own: [pointer.file] })
    bed.before([], 'read')
    bed.after([], 'read', [pointer.file])
    expect(bed.before([pointer], 'gated').reply.kind).toBe('deny')
  })

  test('law 6: all 48 calls of a wave are denied with one charged text, and count as one wave (G20)', () => {
    const bed = new Bed()
    const decisions = Array.from({ length: 48 }, (_, call) => bed.before([held], `call${call}`))
    expect(decisions.map((decision) => decision.reply.kind)).toEqual(Array.from({ length: 48 }, () => 'deny'))
    expect(decisions.filter((decision) => decision.reply.kind === 'deny' && decision.reply.text !== '')).toHaveLength(1)
    for (const decision of decisions) bed.handed(decision)
    expect(bed.context.gates[held.id]?.heldWaves).toHaveLength(1)
    expect(bed.context.claims).toHaveLength(1)
  })

  test('law 8: three waves of shown pointers lift the gate as capped', () => {
    const bed = new Bed()
    const pointer = entry('pointer', { mustKnow: true, read: ['/home/dev/wiki/page.md'] })
    for (let wave = 0; wave < 3; wave += 1) {
      const denied = bed.before([pointer], `w${wave}`)
      expect(denied.reply.kind).toBe('deny')
      bed.handed(denied)
      bed.batchEnd(`w${wave}`)
      bed.shown(denied)
    }
    expect(outcomes(bed.before([pointer]))).toEqual({ pointer: 'lifted' })
    expect(bed.gateRows.at(-1)).toMatchObject({ lift: 'capped' })
  })

  test('G18: without any verdict the gate lifts as unproven after five held waves', () => {
    const bed = new Bed()
    for (let wave = 0; wave < 5; wave += 1) {
      const denied = bed.before([held], `w${wave}`)
      expect(denied.reply.kind).toBe('deny')
      bed.handed(denied)
      bed.batchEnd(`w${wave}`)
    }
    expect(outcomes(bed.before([held]))).toEqual({ held: 'lifted' })
    expect(bed.gateRows.at(-1)).toMatchObject({ lift: 'unproven' })
  })

  test('G2: denies that were never delivered lift nothing', () => {
    const bed = new Bed()
    for (let wave = 0; wave < 9; wave += 1) {
      bed.settle(bed.before([held], `w${wave}`), 'dropped')
      bed.batchEnd(`w${wave}`)
    }
    expect(bed.before([held]).reply.kind).toBe('deny')
    expect(bed.context.gates[held.id]).toBeUndefined()
  })

  test('no records: one deny that was handed over lifts the gate as assumed', () => {
    const bed = new Bed()
    bed.handed(bed.before([held], 'a'))
    bed.batchEnd('a')
    bed.judge([{ kind: 'no-records' }])
    expect(outcomes(bed.before([held]))).toEqual({ held: 'lifted' })
    expect(bed.gateRows.at(-1)).toMatchObject({ lift: 'assumed' })
  })

  test('a held call for which not even a pointer fits is let through; a forbidden one is denied all the same', () => {
    const bed = new Bed()
    const fat = entry('fat', { text: 'y'.repeat(7_850) })
    bed.handed(bed.prompt([fat]))
    expect(outcomes(bed.before([held]))).toEqual({ held: 'let_through' })
    const denied = bed.before([forbidden])
    expect([denied.reply.kind, outcomes(denied)]).toEqual(['deny', { forbidden: 'forbidden' }])
  })

  test('a second deny before the proof is shorter, never the same bytes again', () => {
    const bed = new Bed()
    const longer = entry('longer', { mustKnow: true, text: 'l'.repeat(3_000) })
    const first = bed.before([longer], 'a')
    bed.handed(first)
    bed.batchEnd('a')
    const second = bed.before([longer], 'b')
    const texts = [first, second].map((decision) => (decision.reply.kind === 'deny' ? decision.reply.text : ''))
    expect(texts[1]).toContain(longer.file)
    expect(bytesOf(texts[1] ?? '')).toBeLessThan(400)
  })

  test('two gates on one call: each lifts by its own proof', () => {
    const bed = new Bed()
    const a = entry('a', { mustKnow: true, text: 'a'.repeat(4_000), priority: 1 })
    const b = entry('b', { mustKnow: true, text: 'b'.repeat(3_000) })
    const first = bed.before([a, b], 'one')
    expect(outcomes(first)).toEqual({ a: 'held', b: 'held' })
    bed.handed(first)
    bed.batchEnd('one')
    bed.judge([{ kind: 'claim', claim: claimsOf(first)[0]!, found: 'whole', answered: true }])
    expect(outcomes(bed.before([a, b], 'two'))).toEqual({ a: 'lifted', b: 'held' })
  })
})
