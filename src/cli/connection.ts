/** How a command reaches the running server: by `server.json` and a token in the data folder, the person's own or the host's that ContextMD is in. */
import { request, type IncomingMessage } from 'node:http'
import { z } from 'zod'
import { readHostToken } from '../install/host-token.ts'
import { pathsFrom, type Paths } from '../paths.ts'
import { readOwnToken } from '../server/own-token.ts'
import type { ServerFile } from '../server/server-file.ts'
import { findServer } from '../service/find.ts'
import { CommandError, type Io } from './command.ts'
import { readEvents, type ServerEvent } from './sse.ts'

const BASE = '/contextmd/v1'
/** A loopback answer takes milliseconds; a server that is silent this long hangs. */
const ANSWER_TIMEOUT_MS = 10_000

export interface Connection {
  readonly address: string
  /** The parsed JSON of an answer. `path` stands behind `/contextmd/v1`. */
  get(path: string): Promise<unknown>
  post(path: string, body: object): Promise<unknown>
  /** Ends when the server closes. */
  follow(path: string): AsyncIterable<ServerEvent>
}

/** Throws a `CommandError` that says how to start the server where none is running. So do the calls, with what the server says. */
export async function withServer(io: Io): Promise<Connection> {
  const paths = pathsFrom(io.env)
  const found = await findServer(paths, ANSWER_TIMEOUT_MS)
  if (found.state === 'none') throw notRunning(paths)
  const server = found.file
  // Whoever has its port now must not get the token.
  if (found.state === 'unproven')
    throw new CommandError(
      'failed',
      `what listens at ${server.address} can't show that it is ContextMD, so nothing was sent to it: it hangs (process ${server.pid}), or another program has its port`,
    )
  const token = server.startedAs === 'host' ? hostTokenFor(server, paths, io) : readOwnToken(paths.ownToken)
  if (token === null)
    throw new CommandError('failed', `${paths.ownToken} is missing or not readable: restart the server, it makes a new one`)

  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    send({ url: `${server.address}${BASE}${path}`, method, token, body })
  return {
    address: server.address,
    get: async (path) => parse(await call('GET', path)),
    post: async (path, body) => parse(await call('POST', path, body)),
    follow: async function* (path) {
      const response = await call('GET', path)
      response.setEncoding('utf8')
      try {
        yield* readEvents(response)
      } catch (error) {
        // The server was killed in the middle of the stream: the same end as a clean one.
        if (!isConnectionError(error)) throw error
      }
    },
  }
}

/** A wider one of the host, for this call, goes before the one that setup keeps. */
function hostTokenFor({ address }: ServerFile, paths: Pick<Paths, 'data'>, { env }: Io): string {
  const token = env['CONTEXTMD_HOST_TOKEN'] || readHostToken(paths.data)?.token
  if (token !== undefined) return token
  throw new CommandError(
    'failed',
    `ContextMD is a part of a host, at ${address}, and asks for a token of that host: contextmd setup --inside gets one`,
  )
}

interface Call {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly token: string
  readonly body: object | undefined
}

/** Resolves with a good answer only. No agent of the process is used: it might send loopback calls through a proxy. */
function send({ url, method, token, body }: Call): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const outgoing = request(url, { method, headers, agent: false }, (response) => {
      clearTimeout(timer)
      if ((response.statusCode ?? 0) < 400) resolve(response)
      else refused(response).then(reject, reject)
    })
    const timer = setTimeout(
      () => outgoing.destroy(new CommandError('failed', `no answer from ${url} in ${ANSWER_TIMEOUT_MS / 1000} s`)),
      ANSWER_TIMEOUT_MS,
    )
    outgoing.on('error', (error) => {
      clearTimeout(timer)
      reject(isConnectionError(error) ? explained(error) : error)
    })
    outgoing.end(body && JSON.stringify(body))
  })
}

async function parse(response: IncomingMessage): Promise<unknown> {
  const text = await textOf(response)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CommandError('failed', 'the server answered something that is not JSON: is it another program on the same port?', { cause })
  }
}

const Refused = z.object({ error: z.object({ message: z.string(), requestId: z.string() }) })
/** In the form of a host's own routes. */
const RefusedByHost = z.object({ error: z.string() })

async function refused(response: IncomingMessage): Promise<CommandError> {
  const text = await textOf(response)
  const byHost = RefusedByHost.safeParse(jsonIn(text))
  if (byHost.success) return refusedByHost(response.statusCode ?? 0, byHost.data.error)
  try {
    const { error } = Refused.parse(JSON.parse(text))
    return new CommandError('failed', `${error.message} (request ${error.requestId})`)
  } catch (cause) {
    return new CommandError('failed', `the server answered with status ${response.statusCode}`, { cause })
  }
}

function refusedByHost(status: number, error: string): CommandError {
  switch (status) {
    case 401:
      return new CommandError(
        'failed',
        'the host refuses the token that is kept here, it ran out or was revoked: contextmd setup --inside gets another',
      )
    case 403:
      return new CommandError(
        'failed',
        `the host does not let this token do that (${error}): the one that setup keeps only reads. Give a wider one of the host for this call, in CONTEXTMD_HOST_TOKEN. To switch it off for one agent, start that agent with CONTEXTMD_OFF=1`,
      )
    default:
      return new CommandError('failed', `the host answered with status ${status}: ${error}`)
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}

/** `paths`: of the person, who may have set hooks up for a host. */
function notRunning(paths: Pick<Paths, 'data'> | null, cause?: Error): CommandError {
  const host = paths === null ? null : readHostToken(paths.data)
  const what =
    host === null
      ? 'ContextMD is not running. Start it with: contextmd serve'
      : `ContextMD is not running: hooks are set up for the host of ${host.base}, which does not run, or does not serve. Start it`
  return new CommandError('failed', what, { cause })
}

/** Nobody listens, or somebody did and hung up in the middle: a server that is just ending, or was killed. */
function explained(error: NodeJS.ErrnoException): CommandError {
  if (error.code === 'ECONNREFUSED') return notRunning(null, error)
  const message = 'the server closed the connection before it had answered: it is just ending, or it was killed. Try again'
  return new CommandError('failed', message, { cause: error })
}

function isConnectionError(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET' || error.code === 'EPIPE'
}
