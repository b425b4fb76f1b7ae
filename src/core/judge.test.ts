import { describe, expect, test } from 'vitest'
import { Bed, claimsOf, entry, outcomes } from './core.fixture.ts'
import { FAILED_LOOKS, UNVERIFIED_AFTER_MS } from './judge.ts'
import type { Decision } from './decide.ts'
import type { ClaimFact } from './fact.ts'
import { id, type CallId, type ClaimId, type EntryId, type RunId } from './id.ts'

const rule = entry('rule')
const held = entry('held', { mustKnow: true })

function fact(decision: Decision, found: ClaimFact['found'], answered = true): ClaimFact {
  return { kind: 'claim', claim: claimsOf(decision)[0]!, found, answered }
}

describe('verdicts', () => {
  test('law 9: whole without an answer is no verdict yet; with it, shown', () => {
    const bed = new Bed()
    const served = bed.prompt([rule])
    bed.handed(served)
    bed.judge([fact(served, 'whole', false)])
    expect(bed.claimRows).toEqual([])
    bed.judge([fact(served, 'whole')])
    expect(bed.claimRows).toMatchObject([{ verdict: 'shown' }])
  })

  test('G7: two facts about one claim are judged, and refunded, once', () => {
    const bed = new Bed()
    const served = bed.prompt([rule])
    bed.handed(served)
    const charged = bed.context.budget?.rules ?? 0
    expect(charged).toBeGreaterThan(0)
    bed.judge([fact(served, 'absent'), fact(served, 'absent')])
    bed.judge([fact(served, 'absent')])
    expect(bed.claimRows).toHaveLength(1)
    expect(bed.context.budget?.rules).toBe(0)
  })

  test('law 11: hidden is refunded and served again; cut becomes a pointer; unverified counts as served', () => {
    const bed = new Bed()
    const hidden = bed.prompt([rule])
    bed.handed(hidden)
    bed.judge([fact(hidden, 'replaced')])
    const again = bed.prompt([rule])
    expect(outcomes(again)).toEqual({ rule: 'served' })
    bed.handed(again)
    bed.judge([fact(again, 'cut')])
    const pointed = bed.prompt([rule])
    expect(outcomes(pointed)).toEqual({ rule: 'pointed' })
    bed.handed(pointed)
    bed.judge([{ kind: 'no-records' }])
    expect(outcomes(bed.prompt([rule]))).toEqual({ rule: 'known' })
  })

  test('laws 6 and 8: without records a deny of an open wave is neither judged nor freed, one of a wave that is over is', () => {
    const bed = new Bed()
    const first = bed.before([held], 'a')
    bed.handed(first)
    bed.judge([{ kind: 'no-records', answeredSeq: bed.context.answeredSeq }])
    expect([bed.claimRows, bed.context.gates[id<EntryId>('held')]?.lifted]).toEqual([[], null])
    expect(outcomes(bed.before([held], 'b'))).toEqual({ held: 'held_beside' })
    bed.batchEnd('a', 'b')
    bed.judge([{ kind: 'no-records', answeredSeq: bed.context.seq + 1 }])
    expect([bed.claimRows.length > 0, bed.context.gates[id<EntryId>('held')]?.lifted]).toEqual([true, 'assumed'])
  })

  test('a hidden deny lifts nothing: denied again with the whole text, then shown', () => {
    const bed = new Bed()
    const first = bed.before([held], 'a')
    bed.handed(first)
    bed.batchEnd('a')
    bed.judge([fact(first, 'replaced')])
    const second = bed.before([held], 'b')
    expect(second.reply.kind === 'deny' && second.reply.text).toContain(held.text)
    bed.handed(second)
    bed.batchEnd('b')
    bed.shown(second)
    expect(outcomes(bed.before([held]))).toEqual({ held: 'lifted' })
  })

  test('a pointer that is shown after the text makes nothing less of it', () => {
    const bed = new Bed()
    const text = bed.before([held], 'a')
    bed.handed(text)
    bed.batchEnd('a')
    const pointer = bed.before([held], 'b')
    bed.handed(pointer)
    bed.shown(text)
    bed.shown(pointer)
    bed.run = id<RunId>('run#2')
    expect(outcomes(bed.prompt([held]))).toEqual({ held: 'known' })
  })

  test('what was not settled is not judged', () => {
    const bed = new Bed()
    const served = bed.prompt([rule])
    bed.judge([fact(served, 'whole')])
    expect(bed.claimRows).toEqual([])
  })
})

describe('giving up', () => {
  test('law 10: nothing expires before looks that came after a later answer failed', () => {
    const bed = new Bed()
    bed.handed(bed.prompt([rule]))
    bed.now += 10 * UNVERIFIED_AFTER_MS
    // the model thinks for minutes: looks find nothing, and that says nothing
    for (let look = 0; look < 99; look += 1) bed.judge([], { answeredSeq: bed.context.answeredSeq })
    expect(bed.claimRows).toEqual([])
    bed.before([])
    for (let look = 1; look < FAILED_LOOKS; look += 1) bed.judge([], { answeredSeq: bed.context.answeredSeq })
    expect(bed.claimRows).toEqual([])
    bed.judge([], { answeredSeq: bed.context.answeredSeq })
    expect(bed.claimRows).toMatchObject([{ verdict: 'unverified' }])
  })

  test('law 10: records are written late: within ten seconds nothing is given up, however often it is looked for', () => {
    const bed = new Bed()
    bed.handed(bed.prompt([rule]))
    bed.stop()
    for (let look = 0; look < 99; look += 1) bed.judge([], { answeredSeq: bed.context.answeredSeq })
    expect(bed.claimRows).toEqual([])
    bed.now += 10_000
    bed.judge([], { answeredSeq: bed.context.answeredSeq })
    expect(bed.claimRows).toMatchObject([{ verdict: 'unverified' }])
  })

  test('law 8: no records lift no gate of which no deny was handed over', () => {
    const bed = new Bed()
    const pages = ['/home/dev/wiki/a.md', '/home/dev/wiki/b.md']
    const pointer = entry('pointer', { mustKnow: true, read: pages })
    for (const path of pages) bed.file(path, { entry: pointer.id, hash: pointer.hash, targets: pages, own: [] })
    bed.judge([{ kind: 'read', path: pages[0]!, call: id<CallId>('read') }, { kind: 'no-records' }])
    expect(bed.before([pointer]).reply.kind).toBe('deny')
  })

  test('G9, G10: every open claim is looked at and ages, however many there are', () => {
    const bed = new Bed()
    const many = Array.from({ length: 30 }, (_, number) => entry(`e${number}`))
    bed.handed(bed.prompt(many))
    bed.stop()
    bed.now += UNVERIFIED_AFTER_MS
    for (let look = 0; look < FAILED_LOOKS; look += 1) bed.judge([], { answeredSeq: bed.context.answeredSeq })
    expect(bed.claimRows).toHaveLength(30)
    expect(bed.context.claims).toEqual([])
  })
})

describe('an edited text', () => {
  const edited = entry('held', { mustKnow: true, text: 'Edited.' })

  test('law 15: what is heard late of the old text makes nothing less known of the new one', () => {
    const bed = new Bed()
    const old = bed.prompt([held])
    bed.handed(old)
    const next = bed.prompt([edited])
    bed.handed(next)
    bed.shown(next)
    bed.judge([fact(old, 'cut')])
    expect(outcomes(bed.prompt([edited]))).toEqual({ held: 'known' })
    expect(outcomes(bed.before([edited]))).toEqual({ held: 'lifted' })
  })

  test('law 15: a deny of the old text that is shown late does not lift the gate of the new one', () => {
    const bed = new Bed()
    const old = bed.before([held], 'a')
    bed.handed(old)
    bed.batchEnd('a')
    bed.handed(bed.before([edited], 'b'))
    bed.batchEnd('b')
    bed.shown(old)
    expect(bed.before([edited], 'c').reply.kind).toBe('deny')
  })

  test('law 15: a deny of the old text that is settled late takes nothing from the gate of the new one', () => {
    const bed = new Bed()
    bed.file(edited.file, { entry: edited.id, hash: edited.hash, targets: [], own: [edited.file] })
    const old = bed.before([held], 'a')
    bed.batchEnd('a')
    bed.handed(bed.before([edited], 'b'))
    bed.judge([{ kind: 'read', path: edited.file, call: id<CallId>('read') }])
    bed.handed(old)
    expect(outcomes(bed.before([edited], 'c'))).toEqual({ held: 'lifted' })
  })
})

describe('epochs', () => {
  test('law 13: after a compaction gates arm, texts are served again, budgets are full', () => {
    const bed = new Bed()
    const served = bed.start('startup', [rule])
    bed.handed(served)
    bed.shown(served)
    const denied = bed.before([held], 'a')
    bed.handed(denied)
    bed.batchEnd('a')
    bed.shown(denied)
    const pack = bed.start('compact', [rule])
    expect(outcomes(pack)).toEqual({ rule: 'served' })
    expect(bed.context.epoch).toBe(1)
    expect(bed.before([held]).reply.kind).toBe('deny')
  })

  test('law 13: a clear ends the epoch; a start, or the resume of a known conversation, ends none', () => {
    const bed = new Bed()
    bed.start('startup')
    const denied = bed.before([held], 'a')
    bed.handed(denied)
    bed.shown(denied)
    for (const source of ['startup', 'resume', 'fork'] as const) bed.start(source)
    expect(outcomes(bed.before([held], 'b'))).toEqual({ held: 'lifted' })
    bed.start('clear')
    expect(bed.before([held], 'c').reply.kind).toBe('deny')
    expect(bed.context.epoch).toBe(1)
  })

  test('T10: two signals of one compaction are one, in either order', () => {
    const moment = new Bed()
    moment.start('startup')
    moment.start('compact')
    moment.judge([{ kind: 'compacted', mark: 'one' }])
    moment.judge([{ kind: 'compacted', mark: 'one' }])
    expect(moment.context.epoch).toBe(1)

    const records = new Bed()
    records.start('startup')
    records.judge([{ kind: 'compacted', mark: 'one' }])
    expect(records.context.owed).toBe('compact')
    records.start('compact')
    expect([records.context.epoch, records.context.owed]).toEqual([1, null])
    records.start('compact')
    expect(records.context.epoch).toBe(2)
  })

  test('T10: a compaction that only the records told is followed by one that both tell', () => {
    const bed = new Bed()
    bed.start('startup')
    bed.judge([{ kind: 'compacted', mark: 'missed' }])
    bed.before([])
    bed.start('compact')
    expect(bed.context.epoch).toBe(2)
    bed.judge([{ kind: 'compacted', mark: 'second' }])
    expect(bed.context.epoch).toBe(2)
  })

  test('G8: a verdict about a claim of an earlier epoch lifts nothing', () => {
    const bed = new Bed()
    bed.start('startup')
    const denied = bed.before([held], 'a')
    bed.handed(denied)
    bed.start('compact')
    bed.shown(denied)
    expect(bed.claimRows).toMatchObject([{ verdict: 'shown' }])
    expect(bed.before([held]).reply.kind).toBe('deny')
  })

  test('G8: what was denied before a compaction and shown after it lifts nothing, although the call was denied again', () => {
    const bed = new Bed()
    bed.start('startup')
    const before = bed.before([held], 'a')
    bed.handed(before)
    bed.start('compact')
    bed.handed(bed.before([held], 'b'))
    bed.shown(before)
    bed.batchEnd('b')
    expect(bed.before([held], 'c').reply.kind).toBe('deny')
  })

  test('law 8: a deny that is handed over after its epoch counts no wave of the next one', () => {
    const bed = new Bed()
    bed.start('startup')
    const before = bed.before([held], 'a')
    bed.start('compact')
    bed.handed(before)
    expect(bed.context.gates).toEqual({})
  })

  test('law 13: a text that is on its way when the epoch ends is served again in the next one', () => {
    const bed = new Bed()
    bed.start('startup')
    bed.handed(bed.prompt([rule]))
    bed.handed(bed.before([held], 'a'))
    bed.start('compact')
    expect(outcomes(bed.prompt([rule]))).toEqual({ rule: 'served' })
    const denied = bed.before([held], 'b')
    expect(denied.reply.kind === 'deny' && denied.reply.text).toContain(held.text)
  })

  test('law 13: a read from before a compaction proves nothing after it', () => {
    const bed = new Bed()
    bed.start('startup')
    bed.file(held.file, { entry: held.id, hash: held.hash, targets: [], own: [held.file] })
    bed.before([], 'read')
    bed.after([], 'read', [held.file])
    bed.batchEnd('read')
    bed.start('compact')
    expect(bed.before([held], 'b').reply.kind).toBe('deny')
  })

  test('T11: a rewind that loses a text ends the epoch and keeps what is still there', () => {
    const bed = new Bed()
    const one = bed.prompt([rule])
    bed.handed(one)
    bed.shown(one)
    const two = bed.before([held], 'a')
    bed.handed(two)
    bed.batchEnd('a')
    bed.shown(two)
    bed.judge([{ kind: 'gone', claims: claimsOf(two) }])
    expect(bed.context.epoch).toBe(1)
    expect(outcomes(bed.prompt([rule]))).toEqual({ rule: 'known' })
    expect(bed.before([held]).reply.kind).toBe('deny')
  })

  test('an unknown resume is served nothing at its start; what its records hold is known', () => {
    const bed = new Bed()
    const other = entry('other')
    expect(bed.start('resume').reply.kind).toBe('nothing')
    expect([bed.context.unscanned, bed.context.owed]).toEqual([true, 'resume'])
    const claimed = [{ claim: 'old.1' as never, entry: rule.id, entryHash: rule.hash, form: 'text' as const }] // a brand has no value
    bed.judge([{ kind: 'held', claims: ['old.1' as never] }], { claimed })
    expect(outcomes(bed.prompt([rule, other]))).toEqual({ other: 'served', rule: 'known' })
  })

  test.each(['text', 'pointer', 'stub'] as const)('law 7: a replayed %s lifts the gate only if it was the text', (form) => {
    const bed = new Bed()
    const mark = id<ClaimId>('old.1')
    bed.start('fork')
    bed.judge([{ kind: 'held', claims: [mark] }], { claimed: [{ claim: mark, entry: held.id, entryHash: held.hash, form }] })
    expect(bed.before([held]).reply.kind).toBe(form === 'text' ? 'nothing' : 'deny')
  })

  test('law 7: of a replayed pointer and the text of the same entry, in either order, the text counts', () => {
    const marks = [id<ClaimId>('old.1'), id<ClaimId>('old.2')]
    const claimed = marks.map((claim, at) => {
      const form = at === 0 ? ('pointer' as const) : ('text' as const)
      return { claim, entry: held.id, entryHash: held.hash, form }
    })
    for (const claims of [marks, marks.toReversed()]) {
      const bed = new Bed()
      bed.start('fork')
      bed.judge([{ kind: 'held', claims }], { claimed })
      expect(bed.before([held]).reply.kind).toBe('nothing')
    }
  })

  test('law 15: the text of an edited entry makes nothing of a replayed pointer to the new one', () => {
    const edited = entry('held', { mustKnow: true, text: 'Another text.' })
    const [pointer, text] = [id<ClaimId>('old.1'), id<ClaimId>('old.2')]
    const bed = new Bed()
    bed.start('fork')
    bed.judge([{ kind: 'held', claims: [pointer, text] }], {
      claimed: [
        { claim: pointer, entry: edited.id, entryHash: edited.hash, form: 'pointer' },
        { claim: text, entry: held.id, entryHash: held.hash, form: 'text' },
      ],
    })
    expect(bed.before([edited]).reply.kind).toBe('deny')
    expect(bed.context.known[edited.id]?.by).toBe('pointer')
  })

  test('S14: a start that was missed leaves its pack owed', () => {
    const bed = new Bed()
    bed.prompt()
    expect([bed.context.owed, bed.context.unscanned]).toEqual(['start', true])
  })
})
