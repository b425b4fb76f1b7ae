/** What holds for moments, their bodies and their settling, whichever server stands at the door. */
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { ContractServer, OpenServer } from './contract.fixture.ts'
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

  describe('bad input', () => {
    test.each([
      ['', 'body_empty', 'empty'],
      ['not json', 'body_not_json', 'not JSON'],
      ['{"a":', 'body_not_json', 'not JSON'],
      ['\u0000\u0001', 'body_not_json', 'not JSON'],
    ])('%j is 400 and counted', async (body, code, why) => {
      const server = await open()
      const response = await server.post(MOMENT, body)
      expect(response.status).toBe(400)
      const text = await response.text()
      expect(JSON.parse(text)).toEqual({ error: { code, message: expect.any(String), requestId: expect.stringMatching(/^[\w-]{8}$/) } })
      if (body.length > 2) expect(text).not.toContain(body)
      expect(server.told.notAnalysed).toEqual([{ harness: 'claude-code', why }])
      expect(server.told.asked).toEqual([])
    })

    test.each(['', 'not json', '['.repeat(300), 'x'.repeat(8 * 1024 * 1024 + 1)])(
      'what the client missed counts all the same',
      async (body) => {
        const server = await open()
        expect((await server.post(MOMENT, body, { 'contextmd-missed': 'timed-out=2 refused=12345' })).ok).toBe(false)
        expect(server.told.missed).toEqual([
          { harness: 'claude-code', cause: 'timed-out', times: 2 },
          { harness: 'claude-code', cause: 'refused', times: 100 },
        ])
      },
    )

    test.each([
      `${BASE}/moment`,
      `${BASE}/moment?harness=`,
      `${BASE}/moment?harness=../../etc`,
      `${BASE}/moment?harness=${'x'.repeat(40)}`,
    ])('%s without a harness is 400', async (path) => {
      const server = await open()
      expect((await server.post(path, EVENT)).status).toBe(400)
      expect(server.told.notAnalysed).toEqual([])
    })

    test.each(['a b', 'x'.repeat(201)])('a delivery header that is none is 400: %s', async (delivery) => {
      const server = await open()
      expect((await server.post(MOMENT, EVENT, { 'contextmd-delivery': delivery })).status).toBe(400)
    })

    test('20 MB with a length is 413, and the same connection goes on', async () => {
      const server = await open()
      const response = await server.post(MOMENT, 'x'.repeat(20 * 1024 * 1024))
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({ error: { code: 'body_too_large' } })
      expect(server.told.notAnalysed).toEqual([{ harness: 'claude-code', why: 'larger than 8 MB' }])
      expect((await server.post(MOMENT, EVENT)).status).toBe(204)
    })

    test('8 MB exactly is taken, one byte more is not', async () => {
      const server = await open()
      const fits = `"${'x'.repeat(8 * 1024 * 1024 - 2)}"`
      expect((await server.post(MOMENT, fits)).status).toBe(204)
      expect((await server.post(MOMENT, `${fits} `)).status).toBe(413)
    })

    test('S2: a chunked body without a length is refused at 8 MB, not when it ends', async () => {
      const server = await open()
      const { socket, received } = await rawConnection(server.port)
      socket.write(rawHead(server, 'transfer-encoding: chunked'))
      // a write that waits listens for its end each time
      socket.setMaxListeners(0)
      const chunk = `${(64 * 1024).toString(16)}\r\n${'x'.repeat(64 * 1024)}\r\n`
      let sent = 0
      let isAnswered = false
      socket.once('data', () => (isAnswered = true))
      // Without end: it goes on until the server has answered, and then until the server closes.
      while (socket.writable) {
        if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
        if (!isAnswered) sent += 64 * 1024
      }
      expect(await received()).toMatch(/^HTTP\/1.1 413 /)
      expect(sent).toBeLessThan(64 * 1024 * 1024)
      expect(server.told.notAnalysed).toEqual([{ harness: 'claude-code', why: 'larger than 8 MB' }])
      expect((await server.post(MOMENT, EVENT)).status).toBe(204)
    })

    test('S2: a length that lies beside chunks does not count', async () => {
      const server = await open()
      const { socket, received } = await rawConnection(server.port)
      socket.write(rawHead(server, 'transfer-encoding: chunked\r\ncontent-length: 5'))
      socket.write('5\r\n"abc"\r\n0\r\n\r\n')
      socket.end()
      // Node's parser refuses the pair as request smuggling.
      expect(await received()).toMatch(/^HTTP\/1.1 400 /)
      expect(server.told.asked).toEqual([])
    })

    test('S2: a chunked body below the limit that never ends gets its answer at the deadline', async () => {
      const server = await open(undefined, { deadlineMs: 20 })
      const { socket, received } = await rawConnection(server.port)
      socket.write(`${rawHead(server, 'transfer-encoding: chunked')}3\r\n"ab\r\n`)
      expect(await received()).toMatch(/^HTTP\/1.1 204 /)
      expect(server.told.asked).toEqual([])
      expect(server.told.notAnalysed).toEqual([{ harness: 'claude-code', why: 'not there in time' }])
    })

    test('a client that closes in the middle of its body is counted, and nothing else to the server', async () => {
      const server = await open()
      const { socket } = await rawConnection(server.port)
      socket.write(`${rawHead(server, 'content-length: 100')}{"half":`)
      socket.destroy()
      await once(socket, 'close')
      expect((await server.post(MOMENT, EVENT)).status).toBe(204)
      expect(server.told.asked).toHaveLength(1)
      expect(server.told.notAnalysed).toEqual([{ harness: 'claude-code', why: 'broken off' }])
      expect(server.mishaps).toEqual([])
    })

    test('a body of 20 MB that waits for 100-continue is refused', async () => {
      const server = await open()
      const outgoing = request(server.address + MOMENT, {
        method: 'POST',
        agent: false,
        headers: { ...server.as('poster'), expect: '100-continue', 'content-length': 20 * 1024 * 1024 },
      })
      outgoing.flushHeaders()
      const [response] = await once(outgoing, 'response')
      expect(response.statusCode).toBe(413)
      outgoing.on('error', () => {})
      outgoing.destroy()
    })

    test('48 moments at once are all answered', async () => {
      let count = 0
      const server = await open(tellEngine(() => served(`d${++count}`)))
      const answers = await Promise.all(Array.from({ length: 48 }, () => server.post(MOMENT, EVENT).then((response) => response.json())))
      expect(answers).toHaveLength(48)
      expect(server.told.settled.filter(({ outcome }) => outcome === 'handed')).toHaveLength(48)
    })
  })
}

function rawHead({ port, token }: ContractServer, more: string): string {
  return `POST ${MOMENT} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token('poster')}\r\n${more}\r\n\r\n`
}

function rawPost(server: ContractServer, body: string): string {
  return rawHead(server, `content-length: ${Buffer.byteLength(body)}`) + body
}
