import { expect, onTestFinished, test } from 'vitest'
import { newBell } from './bell.ts'
import { logged, tellEngine, type ToldEngine } from './engine.fixture.ts'
import { LogFeed, type Looks } from './log-feed.ts'

/** Follows until the test is over. `next` resolves when there are news, or never will be. */
function follow(feed: LogFeed): { readonly looks: Looks; readonly next: () => Promise<void>; readonly leave: () => void } {
  const bell = newBell()
  const wake = (): void => bell.ring()
  const looks = feed.join(wake)
  const leave = (): void => looks.leave(wake)
  onTestFinished(leave)
  return { looks, next: bell.rung, leave }
}

/** Counts what the log is asked for. */
function counted(told: ToldEngine): { asked: number } {
  const counter = { asked: 0 }
  const { log, completed } = told.logbook
  told.logbook.log = (filter) => (counter.asked++, log(filter))
  told.logbook.completed = (from) => (counter.asked++, completed(from))
  return counter
}

const numbers = (looks: Looks, since: number) => looks.since(since)?.map(({ row }) => row.number) ?? null

test('what is new and what was completed is read once for all who follow', async () => {
  const told = tellEngine()
  told.write(logged(1))
  const counter = counted(told)
  const feed = new LogFeed(told)
  const all = Array.from({ length: 20 }, () => follow(feed))
  told.write(logged(2))
  told.write(logged(1, { outcome: 'served' }))
  await Promise.all(all.map(({ next }) => next()))
  expect(all.map(({ looks }) => numbers(looks, 0))).toEqual(all.map(() => [1, 2]))
  // from where on, then one look
  expect(counter.asked).toBe(3)
})

test('who is far behind is told so, and who is behind gets a batch at a time', async () => {
  const told = tellEngine()
  const { looks, next } = follow(new LogFeed(told))
  for (let number = 1; number <= 2_500; number++) told.write(logged(number))
  while (looks.count < 2_500) await next()
  expect(looks.since(0)).toBeNull()
  expect(numbers(looks, 1_900)).toEqual(Array.from({ length: 200 }, (_, index) => 1_901 + index))
  expect(looks.since(2_500)).toEqual([])
})

test('with the last who leaves it ends, and begins anew with the next', async () => {
  const told = tellEngine()
  const feed = new LogFeed(told)
  const first = follow(feed)
  const second = follow(feed)
  expect(second.looks).toBe(first.looks)
  first.leave()
  expect(first.looks.hasEnded).toBe(false)
  second.leave()
  expect(first.looks.hasEnded).toBe(true)
  const third = follow(feed)
  expect(third.looks).not.toBe(first.looks)
  told.write(logged(1))
  await third.next()
  expect(numbers(third.looks, 0)).toEqual([1])
})

test('a log that can not be read any more is told to all who follow, and the next one tries it anew', async () => {
  const told = tellEngine()
  const feed = new LogFeed(told)
  const all = [follow(feed), follow(feed)]
  const { log } = told.logbook
  told.logbook.log = async () => {
    throw new Error('gone')
  }
  told.write(logged(1))
  for (const { looks, next } of all) {
    await next()
    expect(() => looks.since(0)).toThrow('gone')
  }
  told.logbook.log = log
  const later = follow(feed)
  told.write(logged(2))
  await later.next()
  expect(numbers(later.looks, 0)).toEqual([2])
})

test('those who take the same news take turns of the event loop', async () => {
  const { looks } = follow(new LogFeed(tellEngine()))
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const at = await Promise.all([1, 2, 3].map(() => looks.turn().then(() => turns)))
  isOver = true
  expect(new Set(at).size).toBe(3)
})
