/** What holds for bodies of moments that are odd, huge, slow or broken off, whichever server stands at the door. */
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { OpenServer } from './contract.fixture.ts'
import { rawHead } from './contract-raw.fixture.ts'
import { served, tellEngine } from './engine.fixture.ts'
import { BASE, MOMENT, rawConnection } from './with-server.fixture.ts'

const EVENT = '{"hook_event_name":"PreToolUse"}'

export function describeBodies(open: OpenServer): void {
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
