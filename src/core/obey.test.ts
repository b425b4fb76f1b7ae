import { expect, test } from 'vitest'
import { Bed, entry } from './core.fixture.ts'
import type { EntryId, RunId } from './id.ts'
import { id } from './id.ts'
import { judgeObedience, type Conduct } from './obey.ts'

const rule = entry('rule', { obeyedWhen: [{ command: ['git commit -m'] }] })

function served(): Bed {
  const bed = new Bed()
  bed.handed(bed.prompt([rule]))
  return bed
}

const says = (conduct: Conduct) => new Map<EntryId, Conduct>([[rule.id, conduct]])

test('a claim that was handed over waits for an occasion, and is judged on it once', () => {
  for (const [conduct, verdict] of [
    ['obeyed', 'obeyed'],
    ['violated', 'violated'],
    ['occasion', 'violated'],
  ] as const) {
    const bed = served()
    expect(judgeObedience(bed.context, new Map(), bed.run, bed.now).rows).toEqual([])
    const judged = judgeObedience(bed.context, says(conduct), bed.run, bed.now)
    expect(judged.rows).toMatchObject([{ entry: 'rule', verdict }])
    expect(judged.context.occasions).toEqual([])
  }
})

test('without an occasion in its run there is none', () => {
  const bed = served()
  expect(judgeObedience(bed.context, says('obeyed'), id<RunId>('run#2'), bed.now).rows).toMatchObject([{ verdict: 'no_occasion' }])
  expect(judgeObedience(bed.context, new Map(), null, bed.now).rows).toMatchObject([{ verdict: 'no_occasion' }])
})

test('what was dropped or hidden is nothing to obey', () => {
  const dropped = new Bed()
  dropped.settle(dropped.prompt([rule]), 'dropped')
  expect(dropped.context.occasions).toEqual([])
  const hidden = new Bed()
  const reply = hidden.prompt([rule])
  hidden.handed(reply)
  hidden.judge([{ kind: 'claim', claim: reply.rows[0]!.claim!, found: 'absent', answered: true }])
  expect(hidden.context.occasions).toEqual([])
})
