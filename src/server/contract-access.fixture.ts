/** Who may call what, whichever server stands at the door. */
import { describe, expect, test } from 'vitest'
import type { Caller, ContractServer, Door, OpenServer } from './contract.fixture.ts'
import { BASE, MOMENT } from './with-server.fixture.ts'

const CALLS = [
  ['POST', MOMENT],
  ['POST', `${BASE}/settle`],
  ['POST', `${BASE}/evidence`],
  ['POST', `${BASE}/control`],
  ['GET', `${BASE}/log`],
  ['GET', `${BASE}/log?follow`],
  ['GET', `${BASE}/entries`],
  ['GET', `${BASE}/threads`],
  ['GET', `${BASE}/report`],
  ['GET', `${BASE}/metrics`],
  ['GET', `${BASE}/health?check=state`],
  ['POST', '/contextmd/hook-mcp'],
  ['POST', '/contextmd/mcp'],
] as const

export function describeAccess(open: OpenServer, door: Door): void {
  describe.each(CALLS)('%s %s', (method, path) => {
    const call = (server: ContractServer, headers: Record<string, string>) =>
      fetch(server.address + path, { method, headers, ...(method === 'POST' && { body: '{}' }) })

    test.each<[string, Caller | Record<string, string>, number]>([
      ['no token', {}, 401],
      ['an empty one', { authorization: '' }, 401],
      ['no bearer', { authorization: 'Basic cG9zdGVyOg==' }, 401],
      ['a token that nobody issued', 'nobody', 401],
      ['a revoked token', 'revoked', 401],
      ['a token that ran out', 'expired', 401],
      ['a token without the scope', 'scopeless', 403],
    ])('with %s is refused and changes nothing', async (_, shown, status) => {
      const server = await open()
      const response = await call(server, typeof shown === 'string' ? server.as(shown) : shown)
      expect(response.status).toBe(status)
      expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
      expect(await response.json()).toMatchObject(status === 401 ? door.unauthorized : door.lacksScope)
      expect([server.told.asked, server.told.settled, server.told.wishes]).toEqual([[], [], []])
    })
  })

  test('T15: a moment whose token is good no more is counted', async () => {
    const server = await open()
    const callers = ['expired', 'revoked', 'nobody', 'scopeless'] as const
    for (const caller of callers) await server.post(MOMENT, '{}', server.as(caller))
    const counted = callers.flatMap((caller) => (door.counted[caller] === undefined ? [] : [door.counted[caller]]))
    expect(server.told.notAnalysed).toEqual(counted.map((why) => ({ harness: 'claude-code', why })))
  })

  test('health without a token tells the state only, with one everything, and refuses a bad one', async () => {
    const server = await open()
    const health = (headers: Record<string, string>) => server.get(`${BASE}/health`, headers)
    expect(await (await health({})).json()).toEqual({ state: 'serving' })
    expect(await (await health(server.as('person'))).json()).toMatchObject({ state: 'serving', problems: [{ code: 'x' }] })
    expect((await health(server.as('nobody'))).status).toBe(401)
    expect((await health(server.as('scopeless'))).status).toBe(403)
  })

  test('an unknown call is 404 with a request id', async () => {
    const server = await open()
    for (const path of [`${BASE}/nothing`, '/contextmd/v2/moment', '/contextmd/']) {
      const response = await server.get(path)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: { code: 'route_unknown', requestId: expect.any(String) } })
    }
    expect((await server.get(MOMENT)).status).toBe(404)
  })
}
