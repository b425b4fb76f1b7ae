import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MOMENT, Served, until } from './served.fixture.ts'
import { bashCall, COMMIT, Talk } from './talk.fixture.ts'

let served: Served
beforeEach(async () => {
  served = new Served({ commit: COMMIT })
  await served.start()
})
/** Whatever happened, nothing has failed inside, the state is consistent and every budget exact. */
afterEach(async () => {
  try {
    expect((await served.health()).counters['failures'] ?? 0).toBe(0)
    expect(await served.stop()).toBe(0)
    expect(served.check()).toEqual([])
  } finally {
    await served.end()
  }
})

let talks = 0
/** A session of its own. */
async function begin(): Promise<Talk> {
  talks += 1
  const talk = new Talk(served, talks)
  await talk.start()
  await talk.prompt()
  return talk
}

test('T6: a wave of 48 calls is denied as a whole, with one charged text', async () => {
  const talk = await begin()
  const told = await Promise.all(Array.from({ length: 48 }, (_, call) => talk.bash('git commit -m x', `toolu_w${call}`)))
  expect(told.map((answer) => answer?.decision)).toEqual(told.map(() => 'deny'))
  expect(told.filter((answer) => answer?.text !== '')).toHaveLength(1)
  const rows = (await rowsOf(talk)).filter(({ outcome }) => outcome === 'denied')
  expect(rows).toHaveLength(48)
  expect(rows.flatMap(({ candidates }) => candidates).filter(({ bytes }) => bytes > 0)).toHaveLength(1)
})

test('T1: one delivery id twice, at once and later, is one reply and one row', async () => {
  const talk = await begin()
  const event = talk.event('PreToolUse', bashCall('git commit', 'toolu_t1'))
  const once = () => served.post(event, { 'contextmd-delivery': 'same' })
  const [one, two] = await Promise.all([once(), once()])
  expect(one?.decision).toBe('deny')
  expect([two, await once()]).toEqual([one, one])
  expect((await rowsOf(talk)).filter(({ delivery }) => delivery.endsWith('|same'))).toHaveLength(1)
})

test('T3: a hook that is killed between its question and the answer gives all back, and the next one gets the whole text', async () => {
  const talk = await begin()
  const socket = await askBehindStream(talk, 'toolu_killed')
  socket.destroy()
  const [row] = await until(
    () => deniedOf(talk),
    (rows) => rows[0]?.candidates[0]?.outcome !== 'held',
  )
  expect(row?.candidates).toMatchObject([{ outcome: 'dropped', atMoment: 'held' }])
  const again = await talk.bash('git commit')
  expect(again).toMatchObject({ decision: 'deny', text: expect.stringContaining('Imperative subject.') })
})

test('a hook that hangs up with its question stops nothing', async () => {
  const talk = await begin()
  for (let call = 0; call < 20; call += 1) {
    const socket = await open()
    socket.write(requestOf(talk.event('PreToolUse', bashCall('git commit', `toolu_h${call}`))), () => socket.destroy())
  }
  expect((await talk.bash('git commit'))?.decision).toBe('deny')
})

test('replies that nobody reads hold up no one else', async () => {
  const talk = await begin()
  const other = await begin()
  const socket = await open()
  socket.pause()
  const calls = Array.from({ length: 100 }, (_, call) => requestOf(talk.event('PreToolUse', bashCall('git commit', `toolu_u${call}`))))
  socket.write(calls.join(''))
  expect((await other.bash('git commit'))?.decision).toBe('deny')
  await until(
    () => deniedOf(talk),
    (rows) => rows.length === 100,
  )
  socket.destroy()
})

test('law 3: a reply that waits behind another on its connection when the server dies is released, once, and its budget is full again', async () => {
  const talk = await begin()
  const socket = await askBehindStream(talk, 'toolu_lost')
  await served.kill()
  socket.destroy()
  await served.start()
  const [row] = await until(
    () => deniedOf(talk),
    (rows) => rows[0]?.candidates[0]?.outcome !== 'held',
  )
  expect(row?.candidates).toMatchObject([{ outcome: 'delivery_unverified', atMoment: 'held' }])
  const again = await talk.bash('git commit', 'toolu_again')
  expect(again).toMatchObject({ decision: 'deny', text: expect.stringContaining('Imperative subject.') })
})

/** The call is decided, and its answer waits: on the same connection an answer that never ends comes first. */
async function askBehindStream(talk: Talk, call: string): Promise<Socket> {
  const socket = await open()
  const own = `authorization: Bearer ${served.ownToken}\r\n`
  socket.write(`GET /contextmd/v1/log?follow=1&limit=0 HTTP/1.1\r\nhost: 127.0.0.1:${served.port}\r\n${own}\r\n`)
  socket.write(requestOf(talk.event('PreToolUse', bashCall('git commit', call))))
  await until(
    () => deniedOf(talk),
    (rows) => rows.length === 1,
  )
  return socket
}

async function rowsOf(talk: Talk) {
  return (await served.log()).filter(({ context }) => context === talk.context)
}

async function deniedOf(talk: Talk) {
  return (await rowsOf(talk)).filter(({ outcome }) => outcome === 'denied')
}

function open(): Promise<Socket> {
  const socket = connect(served.port, '127.0.0.1')
  socket.on('error', () => {})
  return new Promise((resolve) => socket.once('connect', () => resolve(socket)))
}

function requestOf(event: object): string {
  const body = JSON.stringify(event)
  return `POST ${MOMENT} HTTP/1.1\r\nhost: 127.0.0.1:${served.port}\r\nauthorization: Bearer ${served.token}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
