/** The calls that tell of the log: report, threads, forgetting, the check. */
import { describe, expect, test } from 'vitest'
import { BASE, withServer } from './with-server.fixture.ts'

test('the report is of the last week unless a time is named', async () => {
  const now = Date.parse('2026-05-20T00:00:00Z')
  const server = await withServer(undefined, { now: () => now })
  const since = async (query: string): Promise<unknown> => {
    const response = await server.get(`${BASE}/report${query}`)
    return response.status === 200 ? ((await response.json()) as { since: number }).since : response.status
  }
  expect(await since('')).toBe(Date.parse('2026-05-13T00:00:00Z'))
  expect(await since('?since=5000')).toBe(5_000)
  for (const query of ['?since=yesterday', '?since=-1', '?since=1e3']) expect(await since(query)).toBe(400)
  expect(await (await server.get(`${BASE}/report`)).json()).toMatchObject({ neverFired: ['rules/commit'], entries: [] })
})

test('threads are listed', async () => {
  const server = await withServer()
  expect(await (await server.get(`${BASE}/threads`)).json()).toMatchObject({ threads: [{ thread: 't1', runs: 2, denied: 3 }] })
  expect(await (await server.get(`${BASE}/threads?limit=0`)).json()).toEqual({ threads: [] })
  for (const query of ['?limit=201', '?limit=all', '?limit=-1']) expect((await server.get(`${BASE}/threads${query}`)).status).toBe(400)
})

describe('forgetting', () => {
  const forget = '{"action":"forget","thread":"t1"}'

  test('needs a person, names one thread, and tells whether there was anything', async () => {
    const server = await withServer()
    const asks = async (body: string) => await (await server.post(`${BASE}/control`, body, server.as('person'))).json()
    expect(await asks(forget)).toMatchObject({ state: 'serving', forgotten: true })
    expect(await asks('{"action":"forget","thread":"other"}')).toMatchObject({ forgotten: false })
    expect(server.told.wishes).toEqual([{ forget: 't1' }, { forget: 'other' }])
  })

  test.each(['{"action":"forget"}', '{"action":"forget","thread":""}', '{"action":"forget","thread":["t1"]}'])(
    '%s is 400',
    async (body) => {
      const server = await withServer()
      expect((await server.post(`${BASE}/control`, body, server.as('person'))).status).toBe(400)
      expect(server.told.wishes).toEqual([])
    },
  )

  test('is refused to who may only read', async () => {
    const server = await withServer()
    expect((await server.post(`${BASE}/control`, forget, server.as('reader'))).status).toBe(403)
    expect(server.told.wishes).toEqual([])
  })
})

describe('the check of the state', () => {
  const check = `${BASE}/health?check=state`

  test('is for a person, and comes with health', async () => {
    const server = await withServer()
    const answer = await (await server.get(check, server.as('person'))).json()
    expect(answer).toMatchObject({ state: 'serving', check: [{ code: 'state_miscounted', cure: 'Move it away.' }] })
    expect((await server.get(check)).status).toBe(403)
    expect((await server.get(check, {})).status).toBe(401)
    expect((await server.get(`${BASE}/health?check=everything`, server.as('person'))).status).toBe(400)
  })

  test('health without it does not look through the file', async () => {
    const server = await withServer()
    expect(await (await server.get(`${BASE}/health`)).json()).not.toHaveProperty('check')
  })
})
