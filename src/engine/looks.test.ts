import { describe, expect, onTestFinished, test } from 'vitest'
import { newContext } from '../core/context.ts'
import { Bed, entry } from '../core/core.fixture.ts'
import { id, type CallId, type SessionId } from '../core/id.ts'
import type { Watch } from '../core/watch.ts'
import type { Evidence, Looked } from '../evidence/reader.ts'
import { claudeCodeHarness } from '../harness/claude-code/claude-code.ts'
import { standaloneHost } from '../host/standalone/standalone.ts'
import { openState } from '../state/sqlite/open.fixture.ts'
import { Looks, type Target } from './looks.ts'
import { Problems } from './problems.ts'

/** Records in which this is found, or these things one after the other, and a context with a text that went out before the model's latest answer, long ago. */
function begin(...found: readonly [Looked, ...Looked[]]) {
  const bed = new Bed()
  bed.handed(bed.prompt([entry('rule')]))
  bed.stop()
  const state = openState()
  const session = id<SessionId>('s1')
  state.update({ context: bed.context.id, session }, () => ({ context: bed.context, result: null }))
  const asked: Watch[] = []
  const evidence: Evidence = {
    look: async ({ watch }) => found[Math.min(asked.push(watch), found.length) - 1] ?? found[0],
    drain: async () => {},
    close: async () => {},
  }
  const errors: unknown[] = []
  const now = () => bed.now + 60_000
  const harness = claudeCodeHarness({ readsIn: () => [] })
  const looks = new Looks({
    state,
    evidence,
    host: standaloneHost,
    harnessOf: () => harness,
    now,
    problems: new Problems(),
    onError: (error) => errors.push(error),
  })
  onTestFinished(async () => {
    await looks.close()
    expect(errors).toEqual([])
  })
  const target: Target = { context: bed.context.id, session, harness, files: null }
  const claim = () => state.context(bed.context.id)?.claims[0]
  return { looks, target, claim, state, asked, answeredSeq: bed.context.answeredSeq }
}

const isNever = () => false

test('law 10: the many looks of a call that waits are no failed looks, those in the background are, and the fifth gives up', async () => {
  const { looks, target, claim, answeredSeq } = begin({ facts: [], reachedEnd: true, missing: false })
  await looks.waitUntil(target, isNever, 150, answeredSeq)
  expect(claim()?.failedLooks).toBe(0)
  for (let look = 1; look < 5; look += 1) {
    await looks.look(target, { deadlineMs: 1 })
    expect(claim()?.failedLooks).toBe(look)
  }
  await looks.look(target, { deadlineMs: 1 })
  expect(claim()).toBeUndefined()
})

test('law 10: a look that did not get to the end of the records has not failed', async () => {
  const read = { kind: 'read', path: '/home/dev/wiki/page.md', call: id<CallId>('c') } as const
  for (const facts of [[], [read]]) {
    const { looks, target, claim } = begin({ facts, reachedEnd: false, missing: false })
    for (let look = 0; look < 9; look += 1) await looks.look(target, { deadlineMs: 1 })
    expect(claim()?.failedLooks).toBe(0)
  }
})

describe('T7: a fork, whose file appears about when its first call is made', () => {
  const missing: Looked = { facts: [], reachedEnd: true, missing: true }
  const partly: Looked = { facts: [], reachedEnd: true, missing: false }
  const whole: Looked = { facts: [{ kind: 'held', claims: [] }], reachedEnd: true, missing: false }
  const call = id<CallId>('toolu_1')

  function fork(...found: readonly [Looked, ...Looked[]]) {
    const begun = begin(...found)
    const { context, session } = begun.target
    const owed = { ...newContext(context, 1), started: true, unscanned: true, owed: 'resume' as const, records: '/home/dev/fork.jsonl' }
    begun.state.update({ context, session }, () => ({ context: owed, result: null }))
    return { ...begun, isScanned: () => begun.state.context(context)?.unscanned === false }
  }

  test('is looked for until the call stands in it, and no longer', async () => {
    const { looks, target, asked, isScanned } = fork(missing, partly, whole)
    await looks.scanBefore(target, call, 60_000, 1)
    expect(isScanned()).toBe(true)
    expect(asked.map((watch) => watch.call)).toEqual([call, call, call])
  })

  test('counts as far as it is there when the time is over', async () => {
    const { looks, target, asked, isScanned } = fork(missing)
    await looks.scanBefore(target, call, 60, 1)
    expect(isScanned()).toBe(true)
    expect(asked.at(-1)).toMatchObject({ wantsHeld: true })
    expect(asked.at(-1)?.call).toBeUndefined()
  })

  test('is not taken for whole by a look in between', async () => {
    const { looks, target, asked, isScanned } = fork(partly)
    await looks.look(target, { deadlineMs: 1 })
    expect(isScanned()).toBe(false)
    expect(asked).toMatchObject([{ wantsHeld: false }])
  })
})

test('a prompt that names no records, before its session starts, does not tell that there are none (Grok Build 1.0.41)', async () => {
  const { looks, target, state } = begin({ facts: [], reachedEnd: true, missing: true })
  const { context, session } = target
  const prompted = { ...newContext(context, 1), started: true, unscanned: true, owed: 'start' as const, records: null }
  state.update({ context, session }, () => ({ context: prompted, result: null }))
  await looks.look(target, { deadlineMs: 1 })
  expect(state.context(context)).toMatchObject({ noRecords: false })
})
