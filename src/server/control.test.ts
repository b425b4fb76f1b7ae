import { describe, expect, test } from 'vitest'
import { BASE, withServer } from './with-server.fixture.ts'

const control = `${BASE}/control`

describe('a person', () => {
  test('switches off for good, for a while, and on again', async () => {
    const server = await withServer(undefined, { now: () => 1_000 })
    expect(await (await server.post(control, '{"action":"off"}', server.as('person'))).json()).toEqual({ state: 'off', offUntil: null })
    const halfAnHour = { state: 'off', offUntil: 1_801_000 }
    expect(await (await server.post(control, '{"action":"off","minutes":30}', server.as('person'))).json()).toEqual(halfAnHour)
    expect(await (await server.post(control, '{"action":"on"}', server.as('person'))).json()).toEqual({ state: 'serving', offUntil: null })
    expect(server.told.wishes).toEqual([{ off: null }, { off: 1_801_000 }, { on: true }])
  })

  test('lifts a gate, everywhere or in one thread', async () => {
    const server = await withServer()
    const lifted = await server.post(control, '{"action":"lift","entry":"rules/commit"}', server.as('person'))
    expect(await lifted.json()).toEqual({ state: 'serving', offUntil: null, lifted: 2 })
    await server.post(control, '{"action":"lift","entry":"rules/commit","thread":"t1"}', server.as('person'))
    expect(server.told.wishes).toEqual([
      { lift: 'rules/commit', thread: undefined },
      { lift: 'rules/commit', thread: 't1' },
    ])
  })

  test.each([
    '{}',
    '[]',
    'null',
    '',
    '{',
    '{"action":"explode"}',
    '{"action":"off","minutes":0}',
    '{"action":"off","minutes":-5}',
    '{"action":"off","minutes":"30"}',
    '{"action":"off","minutes":1e9}',
    '{"action":"lift"}',
    '{"action":"lift","entry":""}',
  ])('who wishes %s is refused', async (body) => {
    const server = await withServer()
    expect((await server.post(control, body, server.as('person'))).status).toBe(400)
    expect(server.told.wishes).toEqual([])
  })

  test('who sends more than a wish is refused', async () => {
    const server = await withServer()
    expect((await server.post(control, 'x'.repeat(70_000), server.as('person'))).status).toBe(413)
  })
})

test('an unknown failure is 500 with the request id that is reported', async () => {
  const server = await withServer()
  server.told.on = () => {
    throw new TypeError('a secret')
  }
  const response = await server.post(control, '{"action":"on"}', server.as('person'))
  expect(response.status).toBe(500)
  const text = await response.text()
  expect(JSON.parse(text)).toMatchObject({ error: { code: 'failed', requestId: server.mishaps[0]?.requestId } })
  expect(server.mishaps).toMatchObject([{ route: 'POST /contextmd/v1/control', name: 'TypeError' }])
  expect(text + JSON.stringify(server.mishaps)).not.toContain('secret')
})
