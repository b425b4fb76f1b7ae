import { describe, expect, test } from 'vitest'
import { rawConnection, withServer, type TestServer } from '../with-server.fixture.ts'
import { rpc, toolCall } from './mcp.fixture.ts'

const PATHS = ['/contextmd/hook-mcp?harness=codex', '/contextmd/mcp?harness=codex'] as const

const bearerFor = (path: string) => (path.includes('hook') ? 'poster' : 'agent') as 'poster' | 'agent'
const post = (server: TestServer, path: string, body: string, headers: Record<string, string> = {}) =>
  server.post(path, body, { ...server.as(bearerFor(path)), ...headers })

describe.each(PATHS)('%s', (path) => {
  test('speaks the revision that the client names, and its newest to a client that names another', async () => {
    const server = await withServer()
    const asked = async (protocolVersion: string): Promise<unknown> => {
      const response = await post(server, path, rpc(0, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'x' } }))
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toContain('application/json')
      const { id, result } = (await response.json()) as { id: unknown; result: { protocolVersion: string } }
      expect(id).toBe(0)
      expect(result).toMatchObject({ capabilities: { tools: {} }, serverInfo: { name: 'contextmd', version: '0.0.0' } })
      return result.protocolVersion
    }
    expect(await asked('2025-06-18')).toBe('2025-06-18')
    expect(await asked('2031-01-01')).toBe('2025-11-25')
  })

  test('takes notifications without an answer, answers a ping, and knows no other method', async () => {
    const server = await withServer()
    const told = await post(server, path, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    expect([told.status, await told.text()]).toEqual([202, ''])
    expect(await (await post(server, path, rpc('p', 'ping'))).json()).toEqual({ jsonrpc: '2.0', id: 'p', result: {} })
    expect(await (await post(server, path, rpc(7, 'resources/list'))).json()).toMatchObject({ id: 7, error: { code: -32601 } })
    expect(await (await post(server, path, toolCall('no_such_tool', {}))).json()).toMatchObject({ error: { code: -32602 } })
  })

  test.each(['[]', '7', '{}', '{"jsonrpc":"2.0","id":{},"method":"ping"}', '{"jsonrpc":"2.0","id":1,"method":7}'])(
    'refuses %s as no message',
    async (body) => {
      const server = await withServer()
      const response = await post(server, path, body)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } })
    },
  )

  test('has no stream and no session to end', async () => {
    const server = await withServer()
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(server.address + path, { method, headers: server.as(bearerFor(path)) })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
      expect(await response.json()).toMatchObject({ error: { code: 'method_refused' } })
    }
  })

  test.each([
    ['nobody', 401, 'token_unknown'],
    ['revoked', 401, 'token_revoked'],
    ['expired', 401, 'token_expired'],
    ['reader', 403, 'token_lacks_scope'],
  ] as const)('refuses the token of %s with %i', async (bearer, status, code) => {
    const server = await withServer()
    const response = await server.post(path, rpc(1, 'tools/list'), server.as(bearer))
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code } })
    expect(server.told.asked).toEqual([])
  })

  test('refuses a call without a token, and one of a page', async () => {
    const server = await withServer()
    const bare = await fetch(server.address + path, { method: 'POST', body: rpc(1, 'ping') })
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    const page = await post(server, path, rpc(1, 'ping'), { origin: 'http://evil.example' })
    expect(page.status).toBe(403)
    const { socket, received } = await rawConnection(server.port)
    socket.end(`POST ${path} HTTP/1.1\r\nHost: rebound.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
    expect(await received()).toContain('host_refused')
  })

  test('S2: refuses a body over its size, also one that tells no length', async () => {
    const server = await withServer()
    const body = 'x'.repeat(path.includes('hook') ? 8 * 1024 * 1024 + 1 : 64 * 1024 + 1)
    expect((await post(server, path, body)).status).toBe(413)
    const chunked = await fetch(server.address + path, {
      method: 'POST',
      body: new Blob([body]).stream(),
      duplex: 'half',
      headers: server.as(bearerFor(path)),
    } as RequestInit)
    expect(chunked.status).toBe(413)
    expect((await post(server, path, 'not json')).status).toBe(400)
    expect(server.mishaps).toEqual([])
  })
})
