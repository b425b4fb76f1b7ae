import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { loopbackHosts } from './access.ts'
import { BASE, MOMENT, withServer, type Bearer, type TestServer } from './with-server.fixture.ts'

const CALLS = [
  ['POST', MOMENT, 'orchestration:read'],
  ['POST', `${BASE}/settle`, 'orchestration:read'],
  ['POST', `${BASE}/control`, 'control'],
  ['GET', `${BASE}/log`, 'log:read'],
  ['GET', `${BASE}/log?follow`, 'log:read'],
  ['GET', `${BASE}/entries`, 'log:read'],
  ['GET', `${BASE}/threads`, 'log:read'],
  ['GET', `${BASE}/report`, 'log:read'],
  ['GET', `${BASE}/metrics`, 'log:read'],
  ['GET', `${BASE}/health?check=state`, 'control'],
] as const

describe.each(CALLS)('%s %s', (method, path, scope) => {
  const call = (server: TestServer, headers: Record<string, string>) =>
    fetch(server.address + path, { method, headers, ...(method === 'POST' && { body: '{}' }) })

  test.each<[string, Bearer | Record<string, string>, number, string]>([
    ['no token', {}, 401, 'token_missing'],
    ['an empty one', { authorization: '' }, 401, 'token_missing'],
    ['no bearer', { authorization: 'Basic cG9zdGVyOg==' }, 401, 'token_missing'],
    ['two words', { authorization: 'Bearer poster reader' }, 401, 'token_missing'],
    ['a wrong token', 'nobody', 401, 'token_unknown'],
    ['a revoked token', 'revoked', 401, 'token_revoked'],
    ['a token that ran out', 'expired', 401, 'token_expired'],
    ['a token without the scope', scope === 'log:read' ? 'poster' : 'reader', 403, 'token_lacks_scope'],
  ])('with %s is refused and changes nothing', async (_, shown, status, code) => {
    const server = await withServer()
    const response = await call(server, typeof shown === 'string' ? server.as(shown) : shown)
    expect(response.status).toBe(status)
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
    expect(await response.json()).toMatchObject({ error: { code, requestId: expect.any(String) } })
    expect([server.told.asked, server.told.settled, server.told.wishes]).toEqual([[], [], []])
  })
})

test('T15: a moment with a token that ran out is counted, one with an unknown token is not', async () => {
  const server = await withServer()
  for (const bearer of ['expired', 'revoked', 'nobody'] as const) await server.post(MOMENT, '{}', server.as(bearer))
  expect(server.told.notAnalysed).toEqual([
    { harness: 'claude-code', why: 'token expired' },
    { harness: 'claude-code', why: 'token revoked' },
  ])
})

test('health without a token tells the state only; with log:read everything; with a bad token it refuses', async () => {
  const server = await withServer()
  const health = (headers: Record<string, string>) => server.get(`${BASE}/health`, headers)
  expect(await (await health({})).json()).toEqual({ state: 'serving' })
  expect(await (await health(server.as('reader'))).json()).toMatchObject({
    state: 'serving',
    problems: [{ code: 'x' }],
  })
  expect((await health(server.as('nobody'))).status).toBe(401)
  expect((await health(server.as('poster'))).status).toBe(403)
})

describe('against DNS rebinding', () => {
  /** fetch sets these headers itself, so the request is made by hand. */
  function statusWith(server: TestServer, headers: Record<string, string>): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const outgoing = request(`${server.address}${BASE}/health`, { agent: false, headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      outgoing.on('error', reject)
      outgoing.end()
    })
  }

  test.each([
    ['127.0.0.1:PORT', 200],
    ['localhost:PORT', 200],
    ['LOCALHOST:PORT', 200],
    ['[::1]:PORT', 200],
    ['127.0.0.1', 403],
    ['127.0.0.1:1', 403],
    ['localhost.:PORT', 403],
    ['evil.example:PORT', 403],
    ['127.0.0.1.evil.example:PORT', 403],
    ['0.0.0.0:PORT', 403],
    ['evil.example', 403],
  ])('the Host %s is %i', async (host, status) => {
    const server = await withServer()
    expect(await statusWith(server, { host: host.replace('PORT', String(server.port)) })).toBe(status)
  })

  test.each([
    ['http://HOST', 200],
    ['https://HOST', 403],
    ['http://evil.example', 403],
    ['http://localhost:1', 403],
    ['null', 403],
  ])('the Origin %s is %i', async (origin, status) => {
    const server = await withServer()
    const host = `127.0.0.1:${server.port}`
    expect(await statusWith(server, { host, origin: origin.replace('HOST', host) })).toBe(status)
  })

  test('a host without a port is right only on port 80', () => {
    expect(loopbackHosts(80)).toContain('localhost')
    expect(loopbackHosts(4517)).not.toContain('localhost')
  })

  test('a refused host is told nothing, whatever it asks for', async () => {
    const server = await withServer()
    expect(await statusWith(server, { host: 'evil.example', ...server.as('reader') })).toBe(403)
  })
})

test('an unknown call is 404 with a request id', async () => {
  const server = await withServer()
  for (const path of ['/', `${BASE}/nothing`, '/contextmd/v2/moment']) {
    const response = await server.get(path)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { code: 'route_unknown', requestId: expect.any(String) } })
  }
  expect((await server.get(MOMENT)).status).toBe(404)
})
