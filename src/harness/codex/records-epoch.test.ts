import { describe, expect, test } from 'vitest'
import * as r from './rollout.fixture.ts'

const RULE = 'Releases are written into the ledger.'
const PRE = { call: r.callId('c1') }
const before = [r.shell(6, 5, 'c1', 'ls'), r.context(7, 5, r.marked('c.1', RULE)), r.output(8, 5, 'c1', 'x')]
const held = (...claims: readonly string[]) => ({ kind: 'held', claims })

describe('compaction', () => {
  test('each is told with a mark of its own, as often as asked', () => {
    expect(r.factsOf(r.recorded('17-compaction-local'), {})).toEqual([{ kind: 'compacted', mark: '00000000-0000-7000-8000-000000000085' }])
    expect(r.factsOf(r.recorded('18-compaction-server-side'), {})).toHaveLength(1)
    const lines = [r.compacted('w1'), r.compacted('w2'), r.compacted('w1')]
    expect(r.factsOf(lines, {}).map((fact) => fact.kind === 'compacted' && fact.mark)).toEqual(['w1', 'w2'])
  })

  test('G8: what was taken out before the model answered is not proven by what it answers later', () => {
    const claim = r.claimOf('c.1', RULE, PRE)
    const lines = [...before, r.compacted('w1', 'i2'), r.says(20, 19)]
    expect(r.factsOf(lines, { claims: [claim] })).toContainEqual({ kind: 'claim', claim: 'c.1', found: 'whole', answered: false })
    const kept = [...before, r.compacted('w1', 'i7'), r.says(20, 19)]
    expect(r.factsOf(kept, { claims: [claim] })).toContainEqual({ kind: 'claim', claim: 'c.1', found: 'whole', answered: true })
    const answered = [...before, r.says(9, 8), r.compacted('w1')]
    expect(r.factsOf(answered, { claims: [claim] })).toContainEqual({ kind: 'claim', claim: 'c.1', found: 'whole', answered: true })
  })

  test('the text that is served after it is proven as any other', () => {
    const lines = [...r.withTexts(r.recorded('17-compaction-local'), { 'CTX-SessionStart-2': r.marked('p.1', RULE) }), r.says(17, 16)]
    expect(r.factsOf(lines, { claims: [r.claimOf('p.1', RULE, { moment: 'session-start', event: 'SessionStart' })] })).toContainEqual({
      kind: 'claim',
      claim: 'p.1',
      found: 'whole',
      answered: true,
    })
  })
})

describe('what an unknown conversation holds', () => {
  test('T7: after a resume: all that hooks put in since the last compaction', () => {
    const lines = [...before, r.says(9, 8), r.context(10, 8, r.marked('d.1', 'y')), r.says(11, 10)]
    expect(r.factsOf(lines, { wantsHeld: true })).toEqual([held('c.1', 'd.1')])
    expect(r.factsOf([...lines, r.compacted('w1'), r.context(14, 10, r.marked('e.1', 'z'))], { wantsHeld: true })).toEqual([
      { kind: 'compacted', mark: 'w1' },
      held('e.1'),
    ])
  })

  test('a cut text is not held', () => {
    const lines = [r.context(7, 5, r.marked('c.1', RULE).slice(0, 40)), r.says(9, 8)]
    expect(r.factsOf(lines, { wantsHeld: true })).toEqual([held()])
  })

  test('nothing is said before there is a reply: the file of a new conversation is not there yet', () => {
    expect(r.factsOf([r.context(3, 0, r.marked('c.1', RULE))], { wantsHeld: true })).toEqual([])
  })
})
