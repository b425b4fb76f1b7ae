import { describe, expect, test } from 'vitest'
import { readEvents, type ServerEvent } from '../cli/sse.ts'
import { id } from '../core/id.ts'
import type { LoggedMoment } from '../state.ts'
import { logged, tellEngine } from './engine.fixture.ts'
import { BASE, withServer, type TestServer } from './with-server.fixture.ts'

function engineWith(count: number) {
  const told = tellEngine()
  for (let number = 1; number <= count; number += 1) told.write(logged(number))
  return told
}

describe('as JSON', () => {
  const numbers = async (server: TestServer, query: string) => {
    const { moments } = (await (await server.get(`${BASE}/log${query}`)).json()) as { moments: LoggedMoment[] } // as the engine gave them
    return moments.map(({ number }) => number)
  }

  test('the newest rows come, the oldest of them first', async () => {
    const server = await withServer(engineWith(150))
    expect(await numbers(server, '')).toEqual(Array.from({ length: 100 }, (_, index) => index + 51))
    expect(await numbers(server, '?limit=2')).toEqual([149, 150])
    expect(await numbers(server, '?limit=0')).toEqual([])
  })

  test('behind a number the oldest rows come, so that none is passed over', async () => {
    const server = await withServer(engineWith(150))
    expect(await numbers(server, '?after=10&limit=2')).toEqual([11, 12])
    expect(await numbers(server, '?since=149000')).toEqual([149, 150])
    expect(await numbers(server, '?thread=other')).toEqual([])
  })

  test.each(['?limit=1001', '?limit=-1', '?limit=x', '?since=yesterday', '?after=1e9', '?harness=vim', "?outcome=';drop", '?thread='])(
    '%s is 400',
    async (query) => {
      const server = await withServer()
      expect((await server.get(`${BASE}/log${query}`)).status).toBe(400)
    },
  )

  test('the entries are listed', async () => {
    const server = await withServer()
    expect(await (await server.get(`${BASE}/entries`)).json()).toMatchObject({ entries: [{ id: 'rules/commit' }] })
  })
})

describe('as server-sent events', () => {
  async function follow(server: TestServer, query: string, headers: Record<string, string> = {}) {
    const hangUp = new AbortController()
    const response = await fetch(`${server.address}${BASE}/log${query}`, {
      headers: { ...server.as('reader'), ...headers },
      signal: hangUp.signal,
    })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    let text = ''
    const seen = new TransformStream<string, string>({
      transform(part, out) {
        text += part
        out.enqueue(part)
      },
    })
    const chunks = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(seen)
    if (chunks === undefined) throw new Error('no body')
    const events = readEvents(chunks)
    const ids = () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number))
    return { hangUp, ids, next: async () => summary((await events.next()).value ?? null) }
  }

  function summary(event: ServerEvent | null): string | null {
    if (event === null) return null
    const row = JSON.parse(event.data) as LoggedMoment // as the engine gave it
    return [event.event, row.number, ...row.candidates.map(({ outcome }) => outcome)].join(' ')
  }

  const claimed = (outcome: 'served' | 'shown'): Partial<LoggedMoment> => ({
    candidates: [
      {
        entry: id('rules/commit'),
        entryHash: id('h'),
        outcome,
        atMoment: 'served',
        claim: id('k1.1'),
        lane: 'rules',
        bytes: 10,
        item: 0,
        verdictAt: outcome === 'shown' ? 5 : null,
        why: null,
      },
    ],
  })

  test('the newest rows come first, then each one as it is written', async () => {
    const server = await withServer(engineWith(5))
    const { next } = await follow(server, '?follow&limit=2')
    expect(await next()).toBe('moment 4')
    expect(await next()).toBe('moment 5')
    server.told.write(logged(6))
    server.told.write(logged(7))
    expect(await next()).toBe('moment 6')
    expect(await next()).toBe('moment 7')
  })

  test('with a limit of 0 nothing of the past comes', async () => {
    const server = await withServer(engineWith(5))
    const { next } = await follow(server, '?limit=0', { accept: 'text/event-stream' })
    server.told.write(logged(6))
    expect(await next()).toBe('moment 6')
  })

  test('a client that comes back goes on behind the last row that it got', async () => {
    const server = await withServer(engineWith(5))
    const { next } = await follow(server, '?follow', { 'last-event-id': '3' })
    expect(await next()).toBe('moment 4')
    expect(await next()).toBe('moment 5')
  })

  test('a row comes again when its verdict is there', async () => {
    const server = await withServer()
    const { next } = await follow(server, '?follow')
    server.told.write(logged(1, claimed('served')))
    expect(await next()).toBe('moment 1 served')
    server.told.write(logged(2))
    expect(await next()).toBe('moment 2')
    server.told.write(logged(1, claimed('shown')))
    expect(await next()).toBe('verdict 1 shown')
    server.told.write(logged(3))
    expect(await next()).toBe('moment 3')
  })

  test('a row that gets the outcome that is asked for after a later one comes too, once', async () => {
    const server = await withServer()
    const { next, ids } = await follow(server, '?follow&outcome=shown')
    server.told.write(logged(1, claimed('served')))
    server.told.write(logged(2, claimed('served')))
    server.told.write(logged(3, claimed('shown')))
    expect(await next()).toBe('moment 3 shown')
    server.told.write(logged(1, claimed('shown')))
    expect(await next()).toBe('moment 1 shown')
    server.told.write(logged(4, claimed('shown')))
    expect(await next()).toBe('moment 4 shown')
    server.told.write(logged(2, claimed('shown')))
    expect(await next()).toBe('moment 2 shown')
    // who comes back goes on behind the newest
    expect(ids()).toEqual([3, 4])
  })

  test('many rows at once all come, in order', async () => {
    const server = await withServer(engineWith(1_000))
    const { next } = await follow(server, '?follow&after=0&limit=10')
    for (let number = 1; number <= 1_000; number += 1) expect(await next()).toBe(`moment ${number}`)
  })

  test('a client that reads more slowly than the log grows gets each row all the same, in order, and holds up no other', async () => {
    const MANY = 5_000
    const told = tellEngine()
    const server = await withServer(told)
    // far more than fits between the two
    const why = 'x'.repeat(4_000)
    const slow = await follow(server, '?follow&limit=0&harness=claude-code')
    const quick = await follow(server, '?follow&limit=0')
    for (let number = 1; number <= MANY; number += 1) told.write(logged(number, { why }))
    for (let number = 1; number <= MANY; number += 1) expect(await quick.next()).toBe(`moment ${number}`)
    for (let number = 1; number <= MANY; number += 1) expect(await slow.next()).toBe(`moment ${number}`)
    told.write(logged(MANY, claimed('shown')))
    expect(await slow.next()).toBe(`verdict ${MANY} shown`)
  })

  test('a client that hangs up is forgotten, the others go on', async () => {
    const server = await withServer()
    const [first, second] = [await follow(server, '?follow'), await follow(server, '?follow')]
    first.hangUp.abort()
    server.told.write(logged(1))
    expect(await second.next()).toBe('moment 1')
  })

  test('a log that can not be read any more ends the stream, and is reported', async () => {
    const server = await withServer()
    const { next } = await follow(server, '?follow')
    server.told.log = () => {
      throw new Error('the state is gone')
    }
    server.told.write(logged(1))
    expect(await next()).toBeNull()
    expect(server.mishaps).toMatchObject([{ route: `${BASE}/log`, name: 'Error' }])
  })

  test('closing the server ends the streams cleanly', async () => {
    const server = await withServer()
    const { next } = await follow(server, '?follow')
    await server.close()
    expect(await next()).toBeNull()
  })
})
