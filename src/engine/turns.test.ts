import { expect, test } from 'vitest'
import { id, type DeliveryId } from '../core/id.ts'
import { openState } from '../state/sqlite/open.fixture.ts'
import { CONTEXT, SESSION, contextState, logMoment, momentRow } from '../state/sqlite/rows.fixture.ts'
import { Turns } from './turns.ts'

/** Turns that tell what they did, in order. */
function toldTurns(fail?: () => void) {
  const told: string[] = []
  const turns = new Turns(() => {
    told.push('gather')
    return () => {
      told.push('commit')
      fail?.()
    }
  })
  return { told, turns }
}

test('all that wait for a turn run in it, and are committed together before any of them goes on', async () => {
  const { told, turns } = toldTurns()
  const work = async (name: string): Promise<void> => {
    await turns.next()
    told.push(`${name} begins`)
    // as asynchronous functions within each other do
    await Promise.resolve()
    await Promise.resolve()
    told.push(`${name} writes`)
    await turns.committed()
    told.push(`${name} goes on`)
  }
  await Promise.all([work('a'), work('b')])
  expect(told.filter((line) => line === 'commit')).toHaveLength(1)
  expect(told.indexOf('commit')).toBeGreaterThan(Math.max(told.indexOf('a writes'), told.indexOf('b writes')))
  expect(told.indexOf('commit')).toBeLessThan(Math.min(told.indexOf('a goes on'), told.indexOf('b goes on')))
})

test('what could not be committed fails for all of the turn, and for no other', async () => {
  let isFull = true
  const { turns } = toldTurns(() => {
    if (isFull) throw new RangeError('full')
  })
  const work = async (): Promise<void> => {
    await turns.next()
    await turns.committed()
  }
  const both = await Promise.allSettled([work(), work()])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isFull = false
  await expect(work()).resolves.toBeUndefined()
})

test('very many are more than one turn, and none of them is forgotten', async () => {
  const { told, turns } = toldTurns()
  const done = await Promise.all(
    Array.from({ length: 200 }, async (_, number) => {
      await turns.next()
      await turns.committed()
      return number
    }),
  )
  expect(done).toHaveLength(200)
  expect(told.filter((line) => line === 'commit')).toHaveLength(4)
})

test('between two turns nothing is waited for', async () => {
  const { told, turns } = toldTurns()
  await turns.committed()
  expect([told, turns.number]).toEqual([[], 0])
})

test('what is asked in a turn is asked once, and anew in the next; outside of one every time', async () => {
  const { turns } = toldTurns()
  let asked = 0
  const ask = turns.once((key: string) => `${key} ${++asked}`)
  const inTurn = async (key: string): Promise<string> => {
    await turns.next()
    return ask(key)
  }
  expect(await Promise.all([inTurn('a'), inTurn('b'), inTurn('a')])).toEqual(['a 1', 'b 2', 'a 1'])
  expect(await inTurn('a')).toBe('a 3')
  await turns.committed()
  await new Promise((resolve) => setImmediate(resolve))
  expect([ask('a'), ask('a')]).toEqual(['a 4', 'a 5'])
})

test('law 4, T1: of equal deliveries in one turn the second is a repeat, and one that throws takes nothing from the others', async () => {
  const state = openState()
  const turns = new Turns(() => state.gather())
  const ask = async (delivery: string): Promise<string | null> => {
    await turns.next()
    const given = state.update({ context: CONTEXT, session: SESSION, delivery: id<DeliveryId>(delivery) }, ({ replay, context }) => {
      if (replay !== null) return { result: replay.answer }
      if (delivery === 'broken') throw new RangeError('a bug')
      const seq = (context?.seq ?? 0) + 1
      return { context: contextState({ seq }), moment: momentRow(delivery, { seq, answer: `answer ${seq}` }), result: `answer ${seq}` }
    })
    await turns.committed()
    return given
  }
  const told = await Promise.allSettled(['d-1', 'd-1', 'broken', 'd-2'].map(ask))
  expect(told.map((each) => (each.status === 'fulfilled' ? each.value : 'thrown'))).toEqual(['answer 1', 'answer 1', 'thrown', 'answer 2'])
  expect(state.log({}).map(({ delivery, seq }) => `${delivery} ${seq}`)).toEqual(['d-1 1', 'd-2 2'])
  expect(state.context(CONTEXT)?.seq).toBe(2)
  logMoment(state, momentRow('d-3'))
  expect(state.log({})).toHaveLength(3)
  expect(state.check()).toEqual([])
})

test('M6: a turn in which moments take long ends after some of them; once they are quick again all make one', async () => {
  let now = 0
  let cost = 5
  const sizes: number[] = []
  let size = 0
  const turns = new Turns(
    () => () => {
      sizes.push(size)
      size = 0
    },
    () => now,
  )
  const wave = (): Promise<unknown> =>
    Promise.all(
      Array.from({ length: 12 }, async () => {
        await turns.next()
        size += 1
        now += cost
        await turns.committed()
      }),
    )
  await wave()
  await wave()
  expect(sizes).toEqual([3, 3, 3, 3, 3, 3, 3, 3])
  cost = 0.01
  await wave()
  expect(sizes.at(-1)).toBe(12)
})
