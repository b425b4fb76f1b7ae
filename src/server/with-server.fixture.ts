/** A real server on a free port with a temporary state folder, closed when the test is over. */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { pathsFrom, type Paths } from '../paths.ts'
import { openTokens, type Scope, type Tokens } from '../state/tokens.ts'
import { tellEngine, type ToldEngine } from './engine.fixture.ts'
import type { Mishap } from './failure.ts'
import { startServer, type RunningServer, type StartOptions } from './start.ts'

export const BASE = '/contextmd/v1'
export const MOMENT = `${BASE}/moment?harness=claude-code`

/** Tokens by what they are good for. */
export type Bearer = 'poster' | 'agent' | 'reader' | 'person' | 'revoked' | 'expired' | 'nobody'

const SCOPES: Readonly<Record<Exclude<Bearer, 'nobody'>, readonly Scope[]>> = {
  poster: ['orchestration:read'],
  agent: ['entries:read'],
  reader: ['log:read'],
  person: ['log:read', 'control'],
  revoked: ['orchestration:read', 'entries:read', 'log:read', 'control'],
  expired: ['orchestration:read', 'entries:read', 'log:read', 'control'],
}

/** Issues a token when a test first needs it: each one is a write to the disk. */
function issuer(tokens: Tokens): (bearer: Bearer) => string {
  const issued = new Map<Bearer, string>()
  return (bearer) => {
    if (bearer === 'nobody') return 'cmd_nobody'
    const known = issued.get(bearer)
    if (known !== undefined) return known
    const { id, token } = tokens.issue({ name: bearer, scopes: SCOPES[bearer], days: bearer === 'expired' ? 0 : 30 })
    if (bearer === 'revoked') tokens.revoke(id)
    issued.set(bearer, token)
    return token
  }
}

export interface TestServer extends RunningServer {
  readonly told: ToldEngine
  readonly port: number
  readonly paths: Paths
  /** The environment of a command line that finds this server. */
  readonly env: NodeJS.ProcessEnv
  readonly mishaps: Mishap[]
  /** The header that shows this token. */
  as(bearer: Bearer): { authorization: string }
  token(bearer: Bearer): string
  post(path: string, body: string, headers?: Record<string, string>): Promise<Response>
  get(path: string, headers?: Record<string, string>): Promise<Response>
}

export function temporaryPaths(): Paths {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-server-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return pathsFrom({ HOME: folder, CONTEXTMD_DATA: join(folder, 'data') })
}

export async function withServer(told = tellEngine(), more: Partial<StartOptions> = {}): Promise<TestServer> {
  const paths = more.paths ?? temporaryPaths()
  const now = more.now ?? (() => 0)
  const tokens = openTokens(paths.tokens, { now })
  const token = issuer(tokens)
  const as = (bearer: Bearer) => ({ authorization: `Bearer ${token(bearer)}` })
  const mishaps: Mishap[] = []
  const report = (mishap: Mishap) => void mishaps.push(mishap)
  const openEngine = () => told
  // Far off: a busy machine must not make a test of something else fail.
  const deadlineMs = 60_000
  const server = await startServer({ paths, port: 0, deadlineMs, version: '0.0.0', now, tokens, openEngine, report, ...more })
  onTestFinished(() => server.close())
  const { address } = server
  return {
    ...server,
    told,
    paths,
    env: { HOME: dirname(paths.data), CONTEXTMD_DATA: paths.data },
    mishaps,
    as,
    token,
    port: Number(new URL(address).port),
    post: (path, body, headers = {}) =>
      fetch(address + path, { method: 'POST', body, headers: 'authorization' in headers ? headers : { ...as('poster'), ...headers } }),
    get: (path, headers = as('reader')) => fetch(address + path, { headers }),
  }
}

/** A bare connection, for what no client library would send. */
export async function rawConnection(port: number): Promise<{ readonly socket: Socket; received(): Promise<string> }> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk) => (text += String(chunk)))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  return {
    socket,
    received: async () => {
      await closed
      return text
    },
  }
}
