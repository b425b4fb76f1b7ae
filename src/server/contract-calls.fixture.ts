/** What the other calls do: reading, control, the stream of the log, Model Context Protocol. */
import { describe, expect, test } from 'vitest'
import { readEvents } from '../cli/sse.ts'
import type { LoggedMoment } from '../state.ts'
import type { ContractServer, OpenServer } from './contract.fixture.ts'
import { logged, tellEngine, type ToldEngine } from './engine.fixture.ts'
import { BASE, MOMENT } from './with-server.fixture.ts'

function engineWith(count: number): ToldEngine {
  const told = tellEngine()
  for (let number = 1; number <= count; number += 1) told.write(logged(number))
  return told
}

export function describeCalls(open: OpenServer): void {
  describe('control', () => {
    const control = async (server: ContractServer, body: string) => await server.post(`${BASE}/control`, body, server.as('person'))

    test('switches off for a while and on again', async () => {
      const server = await open(undefined, { now: () => 1_000 })
      expect(await (await control(server, '{"action":"off","minutes":30}')).json()).toEqual({ state: 'off', offUntil: 1_801_000 })
      expect(await (await control(server, '{"action":"on"}')).json()).toEqual({ state: 'serving', offUntil: null })
      expect(server.told.wishes).toEqual([{ off: 1_801_000 }, { on: true }])
    })

    test('lifts and forgets', async () => {
      const server = await open()
      const lifted = await control(server, '{"action":"lift","entry":"rules/commit","thread":"t1"}')
      expect(await lifted.json()).toMatchObject({ state: 'serving', lifted: 2 })
      expect(await (await control(server, '{"action":"forget","thread":"t1"}')).json()).toMatchObject({ forgotten: true })
      expect(server.told.wishes).toEqual([{ lift: 'rules/commit', thread: 't1' }, { forget: 't1' }])
    })

    test.each(['{}', '[]', '', '{', '{"action":"explode"}', '{"action":"off","minutes":-5}', '{"action":"lift"}'])(
      '%s is 400',
      async (body) => {
        const server = await open()
        expect((await control(server, body)).status).toBe(400)
        expect(server.told.wishes).toEqual([])
      },
    )

    test('of more than a wish is 413', async () => {
      const server = await open()
      expect((await control(server, 'x'.repeat(70_000))).status).toBe(413)
    })

    test('that fails is 500 with the request id that is reported, and without a word of the failure', async () => {
      const server = await open()
      server.told.on = () => {
        throw new TypeError('a secret')
      }
      const response = await control(server, '{"action":"on"}')
      expect(response.status).toBe(500)
      const text = await response.text()
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'failed', requestId: server.mishaps[0]?.requestId } })
      expect(text + JSON.stringify(server.mishaps)).not.toContain('secret')
    })
  })

  test.each([
    ['{"delivery":"d1","verdict":"shown"}', 404],
    ['{"delivery":"d1","verdict":"perhaps"}', 400],
    ['{"delivery":"d1","verdict":"shown","text":"x"}', 400],
  ])('evidence %s is %i', async (body, status) => {
    const server = await open()
    expect((await server.post(`${BASE}/evidence`, body)).status).toBe(status)
  })

  describe('reading', () => {
    test('entries, threads, report', async () => {
      const server = await open(undefined, { now: () => Date.parse('2026-05-20T00:00:00Z') })
      const read = async (path: string) => await (await server.get(BASE + path)).json()
      expect(await read('/entries')).toMatchObject({ entries: [{ id: 'rules/commit' }] })
      expect(await read('/threads')).toMatchObject({ threads: [{ thread: 't1', runs: 2, denied: 3 }] })
      expect(await read('/threads?limit=0')).toEqual({ threads: [] })
      expect(await read('/report')).toMatchObject({ since: Date.parse('2026-05-13T00:00:00Z'), neverFired: ['rules/commit'] })
    })

    test('metrics', async () => {
      const server = await open()
      await server.post(MOMENT, '{}')
      const response = await server.get(`${BASE}/metrics`)
      expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
      expect(await response.text()).toContain('contextmd_moment_seconds_count 1\n')
    })

    test('the check of the state, with health', async () => {
      const server = await open()
      const answer = await (await server.get(`${BASE}/health?check=state`, server.as('person'))).json()
      expect(answer).toMatchObject({ state: 'serving', check: [{ code: 'state_miscounted' }] })
    })

    test.each(['/log?limit=1001', '/log?since=yesterday', '/log?harness=vim', '/threads?limit=201', '/report?since=1e3'])(
      '%s is 400',
      async (path) => {
        const server = await open()
        expect((await server.get(BASE + path)).status).toBe(400)
      },
    )
  })

  describe('the log', () => {
    test('as JSON: the newest rows, or those behind a number', async () => {
      const server = await open(engineWith(150))
      const numbers = async (query: string) => {
        const { moments } = (await (await server.get(`${BASE}/log${query}`)).json()) as { moments: LoggedMoment[] } // as the engine gave them
        return moments.map(({ number }) => number)
      }
      expect(await numbers('?limit=2')).toEqual([149, 150])
      expect(await numbers('?after=10&limit=2')).toEqual([11, 12])
    })

    async function follow(server: ContractServer, query: string, headers: Record<string, string> = {}) {
      const hangUp = new AbortController()
      const asking = { headers: { ...server.as('person'), ...headers }, signal: hangUp.signal }
      const response = await fetch(`${server.address}${BASE}/log${query}`, asking)
      expect(response.headers.get('content-type')).toContain('text/event-stream')
      const chunks = response.body?.pipeThrough(new TextDecoderStream())
      if (chunks === undefined) throw new Error('no body')
      const events = readEvents(chunks)
      const next = async (): Promise<string | null> => {
        const event = (await events.next()).value ?? null
        // as the engine gave it
        return event === null ? null : `${event.event} ${(JSON.parse(event.data) as LoggedMoment).number}`
      }
      return { hangUp, next }
    }

    test('as events: each row as it is written', async () => {
      const server = await open(engineWith(5))
      const { next } = await follow(server, '?follow&limit=2')
      expect([await next(), await next()]).toEqual(['moment 4', 'moment 5'])
      server.told.write(logged(6))
      expect(await next()).toBe('moment 6')
    })

    test('as events: a client that comes back goes on behind the last row that it got', async () => {
      const server = await open(engineWith(5))
      const { next } = await follow(server, '?follow', { 'last-event-id': '3' })
      expect([await next(), await next()]).toEqual(['moment 4', 'moment 5'])
    })

    test('as events: a thousand rows come in order', async () => {
      const server = await open(engineWith(1_000))
      const { next } = await follow(server, '?follow&after=0&limit=10')
      for (let number = 1; number <= 1_000; number += 1) expect(await next()).toBe(`moment ${number}`)
    })

    test('as events: a client that hangs up is forgotten, the others go on', async () => {
      const server = await open()
      const [first, second] = [await follow(server, '?follow'), await follow(server, '?follow')]
      first.hangUp.abort()
      server.told.write(logged(1))
      expect(await second.next()).toBe('moment 1')
    })
  })

  describe('Model Context Protocol', () => {
    const initialize = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'agent', version: '1' } },
    })

    test.each(['/contextmd/hook-mcp', '/contextmd/mcp'])('%s answers a client', async (path) => {
      const server = await open()
      const caller = path.endsWith('hook-mcp') ? 'poster' : 'agent'
      const headers = { ...server.as(caller), accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
      const response = await server.post(path, initialize, headers)
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({ id: 1, result: { serverInfo: { name: 'contextmd' } } })
      expect((await fetch(server.address + path, { method: 'DELETE', headers })).status).toBe(405)
    })
  })
}
