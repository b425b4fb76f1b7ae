/** Harnesses whose deny holds a few hundred characters, and that do not tell the end of a wave. */
import { describe, expect, test } from 'vitest'
import { Bed, claimsOf, compactReason, entry, outcomes } from './core.fixture.ts'
import { id, type CallId } from './id.ts'
import { findMarks } from './mark.ts'

function shortBed(): Bed {
  const bed = new Bed()
  bed.profile = compactReason
  return bed
}

const reasonOf = (decision: ReturnType<Bed['before']>) => (decision.reply.kind === 'deny' ? decision.reply.reason : '')

describe('a short reason', () => {
  test('holds the whole text of a short entry, which lifts by being shown', () => {
    const bed = shortBed()
    const held = entry('held', { mustKnow: true, text: 'Imperative subject, no full stop.' })
    const denied = bed.before([held], 'a')
    expect(reasonOf(denied).length).toBeLessThanOrEqual(250)
    expect(findMarks(reasonOf(denied))).toMatchObject([{ text: held.text }])
    expect(denied.reply.kind === 'deny' && denied.reply.text).toBe('')
    bed.handed(denied)
    bed.stop()
    bed.shown(denied)
    expect(outcomes(bed.before([held], 'b'))).toEqual({ held: 'lifted' })
  })

  test('G22, X3: a longer one is named by its note, whole; the gate lifts when the note was read', () => {
    const bed = shortBed()
    const held = entry('held', { mustKnow: true, text: 'long '.repeat(200) })
    const note = '/n/held.md'
    bed.file(note, { entry: held.id, hash: held.hash, targets: [], own: [held.file, note] })
    const denied = bed.before([held], 'a')
    expect(reasonOf(denied)).toContain(`Read ${note}`)
    expect(reasonOf(denied).length).toBeLessThanOrEqual(250)
    expect(denied.notes).toEqual([held])
    bed.handed(denied)
    bed.stop()
    bed.shown(denied)
    expect(bed.before([held], 'b').reply.kind).toBe('deny')
    bed.stop()
    bed.before([], 'read')
    bed.after([], 'read', [note])
    expect(outcomes(bed.before([held], 'c'))).toEqual({ held: 'lifted' })
  })

  test('one text fits: the second gate waits for the retry, a forbid comes first', () => {
    const bed = shortBed()
    const held = entry('held', { mustKnow: true, text: 'x'.repeat(120) })
    const forbidden = entry('never', { forbid: true, text: 'y'.repeat(120) })
    expect(outcomes(bed.before([held, forbidden]))).toEqual({ never: 'forbidden', held: 'held_waiting' })
  })
})

describe('the end of a wave', () => {
  const held = entry('held', { mustKnow: true })

  test('is a call that is done, where all calls are announced before the first one runs', () => {
    const bed = shortBed()
    bed.before([held], 'a')
    bed.before([], 'b')
    const wave = bed.context.wave.number
    bed.after([], 'b')
    bed.before([held], 'c')
    expect(bed.context.wave.number).toBe(wave + 1)
  })

  test('G21: is told by the records where every call was denied: a call of another reply is a retry', () => {
    const bed = shortBed()
    const denied = bed.before([held], 'a')
    bed.handed(denied)
    const wave = bed.context.wave.number
    const reply = (call: string, ...calls: string[]) =>
      bed.judge([{ kind: 'called', call: id<CallId>(call), calls: calls.map((one) => id<CallId>(one)) }])
    reply('b', 'a', 'b')
    bed.before([held], 'b')
    expect(bed.context.wave.number).toBe(wave)
    reply('c', 'c')
    bed.judge([{ kind: 'claim', claim: claimsOf(denied)[0]!, found: 'whole', answered: true }])
    expect(outcomes(bed.before([held], 'c'))).toEqual({ held: 'lifted' })
    expect(bed.context.wave.number).toBe(wave + 1)
  })
})

test('a moment that is only told carries its texts and stops nothing', () => {
  const bed = new Bed()
  const rule = entry('rule')
  const held = entry('held', { mustKnow: true })
  bed.carried = [rule, held]
  const told = bed.told([rule, held])
  expect([told.reply.kind, outcomes(told)]).toEqual(['nothing', { rule: 'carried', held: 'carried' }])
})
