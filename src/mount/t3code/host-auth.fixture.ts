/**
 * Who may call a small host: fixed callers by name, and tokens that the host's own exchange has given for pairing credentials.
 *
 * Credentials and sessions are files in the host's state folder, so that a program beside the host (`t3`) makes and ends them too.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the host's auth gives for a good credential. */
export interface HostSession {
  readonly sessionId: string
  readonly subject: string
  readonly method: string
  readonly scopes: readonly string[]
  readonly expiresAt?: Date
}

/** What it fails with, in the form of its typed interface. */
export interface HostRefusal {
  readonly _tag: string
  readonly code: string
  readonly reason: string
  readonly traceId: string
}

const EVERY = ['orchestration:read', 'orchestration:operate', 'terminal:operate', 'review:write', 'access:read', 'access:write']
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  t3_poster: ['orchestration:read'],
  t3_agent: ['orchestration:read'],
  t3_person: ['orchestration:read', 'orchestration:operate'],
  t3_scopeless: ['terminal:operate', 'access:read'],
}
/** 30 days, less a second, as the host counts them. */
const TERM_S = 2_591_999

/** As the host does it: a cookie first, then a bearer with a capital B. `stateDir`: where its sessions are. */
export function authenticate(headers: Readonly<Record<string, string | undefined>>, stateDir?: string): HostSession | HostRefusal {
  if ((headers['cookie'] ?? '').includes('t3_session=good')) {
    return { sessionId: 'browser', subject: 'owner', method: 'browser-session-cookie', scopes: EVERY }
  }
  const bearer = /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1]
  if (bearer === undefined) return refusal('missing_credential')
  const scopes = SCOPES[bearer]
  const method = 'bearer-access-token'
  if (scopes !== undefined) return { sessionId: bearer.slice('t3_'.length), subject: 'owner', method, scopes }
  const kept = stateDir === undefined ? null : keptSession(stateDir, bearer)
  if (kept === null || kept.token !== bearer || kept.expiresAt <= Date.now()) return refusal('invalid_credential')
  return { sessionId: kept.sid, subject: 'owner', method, scopes: kept.scopes, expiresAt: new Date(kept.expiresAt) }
}

function refusal(reason: string): HostRefusal {
  return { _tag: 'EnvironmentAuthError', code: 'auth_invalid', reason, traceId: 'trace-1' }
}

export function isRefusal(value: HostSession | HostRefusal): value is HostRefusal {
  return '_tag' in value
}

/** Good once. */
export function createCredential(stateDir: string): string {
  const credential = randomBytes(9).toString('base64url')
  mkdirSync(join(stateDir, 'pairing'), { recursive: true })
  writeFileSync(join(stateDir, 'pairing', credential), '')
  return credential
}

/** `POST /oauth/token`, by the form that was posted. `given`: in place of the scope that was asked for, as a host that does not keep to it. */
export function giveToken(stateDir: string, form: URLSearchParams, given?: string): { readonly status: number; readonly body: object } {
  const wanted = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: 'urn:t3:params:oauth:token-type:environment-bootstrap',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  }
  if (Object.entries(wanted).some(([name, value]) => form.get(name) !== value)) return { status: 400, body: { error: 'invalid_request' } }
  try {
    rmSync(join(stateDir, 'pairing', form.get('subject_token') || 'none'))
  } catch {
    return { status: 400, body: { error: 'invalid_grant', error_description: 'The credential is unknown or was used.' } }
  }
  const scope = given ?? form.get('scope') ?? ''
  const sid = `session-${randomBytes(4).toString('hex')}`
  const iat = Math.floor(Date.now() / 1_000)
  const claims = {
    v: 1,
    kind: 'session',
    sid,
    sub: 'owner',
    scopes: scope.split(' '),
    method: 'bearer-access-token',
    iat,
    exp: iat + TERM_S,
  }
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
  const token = `${payload}.${createHmac('sha256', 'a key of tests').update(payload).digest('base64url')}`
  mkdirSync(join(stateDir, 'sessions'), { recursive: true })
  writeFileSync(join(stateDir, 'sessions', sid), JSON.stringify({ sid, token, scopes: claims.scopes, expiresAt: claims.exp * 1_000 }))
  return { status: 200, body: { access_token: token, token_type: 'Bearer', expires_in: TERM_S, scope } }
}

/** True if there was one. */
export function revokeSession(stateDir: string, sid: string): boolean {
  try {
    rmSync(join(stateDir, 'sessions', sid))
    return true
  } catch {
    return false
  }
}

interface KeptSession {
  readonly sid: string
  readonly token: string
  readonly scopes: readonly string[]
  readonly expiresAt: number
}

function keptSession(stateDir: string, token: string): KeptSession | null {
  try {
    const { sid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { sid: string }
    // written above
    return JSON.parse(readFileSync(join(stateDir, 'sessions', sid), 'utf8')) as KeptSession
  } catch {
    return null
  }
}
