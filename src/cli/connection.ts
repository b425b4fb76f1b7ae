/** How a command reaches the running server: by `server.json` and the person's own token in the data folder. */
import { request, type IncomingMessage } from 'node:http'
import { z } from 'zod'
import { pathsFrom } from '../paths.ts'
import { readOwnToken } from '../server/own-token.ts'
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
  if (found.state === 'none') throw notRunning()
  const server = found.file
  // Whoever has its port now must not get the token.
  if (found.state === 'unproven')
    throw new CommandError(
      'failed',
      `what listens at ${server.address} can't show that it is ContextMD, so nothing was sent to it: it hangs (process ${server.pid}), or another program has its port`,
    )
  const token = readOwnToken(paths.ownToken)
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

async function refused(response: IncomingMessage): Promise<CommandError> {
  const text = await textOf(response)
  try {
    const { error } = Refused.parse(JSON.parse(text))
    return new CommandError('failed', `${error.message} (request ${error.requestId})`)
  } catch (cause) {
    return new CommandError('failed', `the server answered with status ${response.statusCode}`, { cause })
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}

function notRunning(cause?: Error): CommandError {
  return new CommandError('failed', 'ContextMD is not running. Start it with: contextmd serve', { cause })
}

/** Nobody listens, or somebody did and hung up in the middle: a server that is just ending, or was killed. */
function explained(error: NodeJS.ErrnoException): CommandError {
  if (error.code === 'ECONNREFUSED') return notRunning(error)
  const message = 'the server closed the connection before it had answered: it is just ending, or it was killed. Try again'
  return new CommandError('failed', message, { cause: error })
}

function isConnectionError(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET' || error.code === 'EPIPE'
}
