/** What holds for moments and their settling, whichever server stands at the door. */
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { OpenServer } from './contract.fixture.ts'
import { rawPost } from './contract-raw.fixture.ts'
import { NOTHING, served, tellEngine } from './engine.fixture.ts'
import { BASE, MOMENT, rawConnection } from './with-server.fixture.ts'

const EVENT = '{"hook_event_name":"PreToolUse"}'

export function describeMoments(open: OpenServer): void {
  describe('a moment', () => {
    test('is answered with the harness own JSON and the delivery', async () => {
      const server = await open(tellEngine(() => served('d1', { answer: 42 })))
      const response = await server.post(MOMENT, EVENT, { 'contextmd-delivery': 'mine-1' })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toContain('application/json')
      expect(response.headers.get('contextmd-delivery')).toBe('d1')
      expect(await response.json()).toEqual({ answer: 42 })
      expect(server.told.asked).toMatchObject([{ harness: 'claude-code', event: JSON.parse(EVENT), delivery: 'mine-1', off: false }])
    })

    test('with nothing to serve is 204 without a body', async () => {
      const server = await open()
      const response = await server.post(MOMENT, EVENT)
      expect(response.status).toBe(204)
      expect(await response.text()).toBe('')
      expect(server.told.asked[0]?.delivery).toBeNull()
    })

    test('with a multi-byte body arrives whole', async () => {
      const server = await open()
      await server.post(MOMENT, JSON.stringify({ prompt: '規則 🚦 é' }))
      expect(server.told.asked[0]?.event).toEqual({ prompt: '規則 🚦 é' })
    })

    test.each([
      ['1', true],
      ['yes', true],
      ['', false],
      ['0', false],
      ['false', false],
      ['$CONTEXTMD_OFF', false],
    ])('with contextmd-off: "%s" is off: %s', async (value, off) => {
      const server = await open()
      await server.post(MOMENT, EVENT, { 'contextmd-off': value })
      expect(server.told.asked[0]?.off).toBe(off)
    })

    test('of which the engine says that it is no event is 400, with its reason', async () => {
      const server = await open(tellEngine(() => ({ ok: false, why: 'It has no session id.' })))
      const response = await server.post(MOMENT, EVENT)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: { code: 'not_an_event', message: expect.stringContaining('no session id') } })
    })

    test('whose delivery can not stand in a header is answered all the same', async () => {
      const server = await open(tellEngine(() => served('d\n1 日')))
      const response = await server.post(MOMENT, EVENT)
      expect(response.status).toBe(200)
      expect(response.headers.has('contextmd-delivery')).toBe(false)
    })

    test('that fails in an unknown way is 204, and what is reported holds nothing of the event', async () => {
      const server = await open(
        tellEngine(() => {
          throw new Error(`secret ${EVENT}`)
        }),
      )
      const response = await server.post(MOMENT, EVENT)
      expect(response.status).toBe(204)
      expect(server.mishaps).toHaveLength(1)
      expect(server.mishaps[0]?.at[0]).toContain('contract-moment.fixture.ts')
      expect(JSON.stringify(server.mishaps)).not.toContain('secret')
    })

    test('that the engine does not answer in time is 204, and what it reserved later goes back', async () => {
      let finish = (): void => {}
      const told = tellEngine(() => new Promise((resolve) => (finish = () => resolve(served('late-1')))))
      const server = await open(told, { deadlineMs: 500 })
      expect((await server.post(MOMENT, EVENT)).status).toBe(204)
      expect(told.settled).toEqual([])
      finish()
      await told.settledOnce()
      expect(told.settled).toEqual([{ delivery: 'late-1', outcome: 'dropped' }])
    })
  })

  describe('settling', () => {
    test('a reply that was read by its client is handed over, before the client can ask again', async () => {
      const server = await open(tellEngine(() => served('d1')))
      await (await server.post(MOMENT, EVENT)).json()
      await server.told.settledOnce()
      expect(server.told.settled).toEqual([{ delivery: 'd1', outcome: 'handed' }])
    })

    test('each reply on a kept connection is settled by itself', async () => {
      let count = 0
      const server = await open(tellEngine(() => served(`d${++count}`)))
      for (let i = 0; i < 5; i += 1) await (await server.post(MOMENT, EVENT)).json()
      expect(server.told.settled.map(({ delivery, outcome }) => `${delivery} ${outcome}`)).toEqual(
        [1, 2, 3, 4, 5].map((i) => `d${i} handed`),
      )
    })

    // A client that hangs up ends its side (FIN), one that is killed with unread data resets (RST).
    test.each(['end', 'destroy', 'resetAndDestroy'] as const)('T3: a client that closes before the reply (%s) drops it', async (close) => {
      let reply = (): void => {}
      let isAsked = (): void => {}
      const asked = new Promise<void>((resolve) => (isAsked = resolve))
      const told = tellEngine(() => {
        isAsked()
        return new Promise((resolve) => (reply = () => resolve(served('d1'))))
      })
      const server = await open(told)
      const { socket } = await rawConnection(server.port)
      socket.write(rawPost(server, EVENT))
      await asked
      socket[close]()
      await once(socket, 'close')
      // The server sees the end of the connection when its event loop turns, which a whole other request takes.
      expect((await server.get(`${BASE}/health`, {})).status).toBe(200)
      reply()
      await told.settledOnce()
      expect(told.settled).toEqual([{ delivery: 'd1', outcome: 'dropped' }])
    })

    test('that fails is reported, and the server goes on', async () => {
      const told = tellEngine(() => served('d1'))
      told.settle = () => {
        throw new TypeError('a secret')
      }
      const server = await open(told)
      await (await server.post(MOMENT, EVENT)).json()
      expect((await server.post(MOMENT, EVENT)).status).toBe(200)
      expect(server.mishaps[0]).toMatchObject({ route: '/contextmd/v1/moment', name: 'TypeError' })
    })

    test('a reply without a delivery settles nothing', async () => {
      const server = await open(tellEngine(() => NOTHING))
      await server.post(MOMENT, EVENT)
      await server.close()
      expect(server.told.settled).toEqual([])
    })

    test.each([
      ['{"delivery":"d1","outcome":"handed"}', 204],
      ['{"delivery":"late","outcome":"dropped"}', 409],
      ['{"delivery":"unknown","outcome":"handed"}', 404],
      ['{"delivery":"d1","outcome":"perhaps"}', 400],
      ['{"delivery":""}', 400],
      ['[]', 400],
      ['', 400],
      ['{', 400],
    ])('by the client: %s is %i', async (body, status) => {
      const server = await open()
      expect((await server.post(`${BASE}/settle`, body)).status).toBe(status)
    })
  })
}
