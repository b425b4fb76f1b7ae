import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createCredential } from './host-credential.ts'
import { checkHostToken, exchange } from './host-exchange.ts'

/** A host that answers everything in one way. */
async function host(answer: (response: ServerResponse, body: string) => void): Promise<number> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => answer(response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port // it listens on a port
}

const json = (status: number, body: object) => (response: ServerResponse) => void response.writeHead(status).end(JSON.stringify(body))
const GOOD = { access_token: 'opaque', token_type: 'Bearer', expires_in: 2_591_999, scope: 'orchestration:read' }
const wide = `${Buffer.from(JSON.stringify({ sid: 's-1', scopes: ['orchestration:read', 'access:write'] })).toString('base64url')}.sig`

test('the form is the documented one, and what comes back is kept with its end', async () => {
  const bodies: string[] = []
  const port = await host((response, body) => {
    bodies.push(body)
    json(200, GOOD)(response)
  })
  expect(await exchange(port, 'a+b&c', () => 1_000)).toEqual({
    state: 'given',
    token: 'opaque',
    expiresAt: 1_000 + 2_591_999_000,
    session: null,
  })
  expect(Object.fromEntries(new URLSearchParams(bodies[0]))).toEqual({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: 'a+b&c',
    subject_token_type: 'urn:t3:params:oauth:token-type:environment-bootstrap',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    scope: 'orchestration:read',
    client_label: 'contextmd',
  })
})

test.each([
  [
    'another scope',
    200,
    { ...GOOD, scope: 'orchestration:read access:write' },
    { state: 'too-wide', scope: 'orchestration:read access:write' },
  ],
  ['a token that no header takes', 200, { ...GOOD, access_token: 'x'.repeat(5_000) }, { state: 'unknown-form' }],
  ['a life without end', 200, { ...GOOD, expires_in: 1e14 }, { state: 'unknown-form' }],
  ['codes for a terminal', 400, { error: `\u001b[31m${'x'.repeat(1_000)}` }, { state: 'refused', why: ` [31m${'x'.repeat(295)}` }],
  ['no scope at all', 200, { ...GOOD, scope: '' }, { state: 'too-wide', scope: '' }],
  ['a token whose own claims say more', 200, { ...GOOD, access_token: wide }, { state: 'too-wide', session: 's-1' }],
  ['a used credential', 400, { error: 'invalid_grant', error_description: 'used' }, { state: 'refused', why: 'invalid_grant: used' }],
  [
    'a refusal in the typed form',
    401,
    { code: 'auth_invalid', reason: 'invalid_credential' },
    { state: 'refused', why: 'auth_invalid: invalid_credential' },
  ],
  ['a refusal without words', 403, {}, { state: 'refused', why: 'status 403' }],
  ['no such call', 404, {}, { state: 'unknown-form', status: 404 }],
  ['another form', 200, { token: 'x' }, { state: 'unknown-form', status: 200 }],
])('%s', async (_, status, body, outcome) => {
  expect(await exchange(await host(json(status, body)), 'c', () => 0)).toMatchObject(outcome)
})

test('a host that hangs up, or answers without end, gives nothing', async () => {
  expect(await exchange(await host((response) => void response.socket?.destroy()), 'c', () => 0)).toEqual({ state: 'silent' })
  const flood = await host((response) => void response.end('x'.repeat(100_000)))
  expect(await exchange(flood, 'c', () => 0)).toEqual({ state: 'silent' })
})

test.each([
  [200, 'good'],
  [401, 'refused'],
  [403, 'refused'],
  [503, 'unknown'],
])('a token is asked about by health: %i means %s', async (status, verdict) => {
  expect(await checkHostToken(await host(json(status, {})), 't')).toBe(verdict)
})

test('a program that hangs is ended, with what it started', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-t3-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const program = join(folder, 't3')
  writeFileSync(program, '#!/bin/sh\necho "waiting for the database" >&2\nexec sleep 600\n')
  chmodSync(program, 0o755)
  const at = { base: folder, stateDir: folder, pid: 1, port: await host(json(404, {})) }
  const created = await createCredential(at, { named: program, env: process.env, needsBase: false }, 200)
  expect(created).toMatchObject({ state: 'failed', program, why: expect.stringMatching(/^it gave nothing in 0\.2 s/) })
})
