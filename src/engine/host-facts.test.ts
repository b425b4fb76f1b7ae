import { describe, expect, test } from 'vitest'
import type { ContextState } from '../core/context.ts'
import { Bed, claimsOf, entry } from '../core/core.fixture.ts'
import type { ClaimFact, ReadFact } from '../core/fact.ts'
import { id, type CallId, type EntryId } from '../core/id.ts'
import type { Looked } from '../evidence/reader.ts'
import { factsWithHost, hopeless, NOTHING_TOLD } from './host-facts.ts'

const MISSING: Looked = { facts: [], reachedEnd: true, missing: true }
const READ: Looked = { facts: [], reachedEnd: true, missing: false }

/** A held call whose text went into the reason, and the model's next call. */
function held(): { bed: Bed; fact: ClaimFact; answeredSeq: number } {
  const bed = new Bed()
  bed.profile = { ...bed.profile, denyText: 'reason', hostProves: true }
  const denied = bed.before([entry('gate', { mustKnow: true })], 'call-1')
  bed.handed(denied)
  bed.batchEnd('call-1')
  const claim = claimsOf(denied)[0] ?? id('none')
  return { bed, fact: { kind: 'claim', claim, found: 'whole', answered: true }, answeredSeq: bed.context.seq + 1 }
}

const told = (...facts: (ClaimFact | ReadFact)[]) => ({ facts, known: [] })

describe('two sources', () => {
  test("without records the host's item counts, once a later item and a later moment say that the model answered", () => {
    const { bed, fact, answeredSeq } = held()
    expect(factsWithHost(bed.context, MISSING, told(fact), answeredSeq).facts).toEqual([{ ...fact, byHost: true }])
    for (const [found, seq] of [
      [fact, 0],
      [{ ...fact, answered: false }, answeredSeq],
    ] as const) {
      expect(factsWithHost(bed.context, MISSING, told(found), seq).facts).toMatchObject([{ answered: false }])
    }
  })

  test('G19: an item alone, in the wave that is still open, judges nothing', () => {
    const { bed, fact } = held()
    bed.judge(factsWithHost(bed.context, MISSING, told(fact), bed.context.answeredSeq).facts)
    expect(bed.context.claims).toHaveLength(1)
    expect(bed.context.gates[id<EntryId>('gate')]?.lifted).toBeNull()
  })

  test('with records the item waits until they were read after an answer in vain', () => {
    const { bed, fact, answeredSeq } = held()
    expect(factsWithHost(bed.context, READ, told(fact), answeredSeq).facts).toEqual([])
    const failed: ContextState = { ...bed.context, claims: bed.context.claims.map((claim) => ({ ...claim, failedLooks: 1 })) }
    expect(factsWithHost(failed, READ, told(fact), answeredSeq).facts).toEqual([{ ...fact, byHost: true }])
    expect(factsWithHost(failed, { ...READ, reachedEnd: false }, told(fact), answeredSeq).facts).toEqual([])
  })

  test('the records count where the two disagree, and the log says so', () => {
    const { bed, fact, answeredSeq } = held()
    const found: Looked = { ...READ, facts: [fact] }
    const both = factsWithHost(bed.context, found, told({ ...fact, found: 'replaced' }), answeredSeq)
    expect(both).toEqual({ facts: [{ ...fact, contradicted: true }], contradicted: 1 })
    const { claims } = bed.judge(both.facts)
    expect(claims).toMatchObject([{ verdict: 'shown', why: 'host_contradicts' }])
    expect(factsWithHost(bed.context, found, told(fact), answeredSeq)).toEqual({ facts: [fact], contradicted: 0 })
  })

  test('a claim that is not open is nothing to judge', () => {
    const { bed, fact, answeredSeq } = held()
    expect(factsWithHost(bed.context, MISSING, told({ ...fact, claim: id('other.1') }), answeredSeq).facts).toEqual([])
  })

  test('G19: a read counts only once its wave is over', () => {
    const bed = new Bed()
    bed.before([], 'call-1')
    const call = id<CallId>('call-1')
    const read: ReadFact = { kind: 'read', path: '/r', call }
    const pending = { path: '/r', call, wave: bed.context.wave.number, named: false }
    const open: ContextState = { ...bed.context, reads: [pending], wave: { ...bed.context.wave, over: false } }
    const over: ContextState = { ...open, wave: { ...open.wave, over: true } }
    expect(factsWithHost(open, MISSING, told(read), 0).facts).toEqual([])
    expect(factsWithHost(over, MISSING, told(read), 0).facts).toEqual([read])
    expect(factsWithHost(over, READ, told(read), 0).facts).toEqual([])
  })
})

test('a claim without records waits for the host until the model went on and the host does not know its call', () => {
  const { bed, fact, answeredSeq } = held()
  expect(hopeless(bed.context, NOTHING_TOLD, 0)).toEqual([])
  expect(hopeless(bed.context, { facts: [], known: [fact.claim] }, answeredSeq)).toEqual([])
  expect(hopeless(bed.context, NOTHING_TOLD, answeredSeq)).toEqual([fact.claim])
  bed.judge([{ kind: 'no-records', hopeless: [] }])
  expect(bed.context.claims).toHaveLength(1)
  expect(bed.context.gates[id<EntryId>('gate')]?.lifted).toBeNull()
  bed.judge([{ kind: 'no-records', hopeless: [fact.claim] }])
  expect(bed.context.gates[id<EntryId>('gate')]?.lifted).toBe('assumed')
})

test("a host's fact does not say that the session has records", () => {
  const { bed, fact } = held()
  bed.judge([{ kind: 'no-records', hopeless: [] }])
  bed.judge([{ ...fact, byHost: true }])
  expect(bed.context.noRecords).toBe(true)
  expect(bed.context.gates[id<EntryId>('gate')]?.lifted).toBe('shown')
})
