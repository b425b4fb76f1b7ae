/** Every way in which a request is refused: one table of codes with their status and text. No text ever holds anything of the request. */
import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ServerEnv } from './app.ts'

/** 8 MB: above this a moment is not analysed. The largest real events (a whole file read or written) stay far below. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024

interface Failure {
  readonly status: ContentfulStatusCode
  readonly message: string
}

export const FAILURES = {
  body_empty: { status: 400, message: 'The request has no body; post the event as JSON.' },
  body_not_json: { status: 400, message: 'The body is not JSON.' },
  body_incomplete: { status: 400, message: 'The client closed before the whole body had arrived.' },
  body_invalid: { status: 400, message: 'The body does not have the fields that this call takes; docs/protocol.md lists them.' },
  query_invalid: { status: 400, message: 'The query has a value that this call does not take; docs/protocol.md lists them.' },
  harness_missing: { status: 400, message: 'Name the harness in the address: ?harness=claude-code.' },
  delivery_invalid: { status: 400, message: 'The contextmd-delivery header takes at most 200 printable ASCII characters.' },
  not_an_event: { status: 400, message: 'The body is not an event of this harness.' },
  token_missing: { status: 401, message: 'Send a token: "authorization: Bearer TOKEN". `contextmd token issue` makes one.' },
  token_unknown: { status: 401, message: 'The token is not known here. `contextmd token issue` makes a new one.' },
  token_revoked: { status: 401, message: 'The token was revoked. `contextmd token issue` makes a new one.' },
  token_expired: { status: 401, message: 'The token has run out. Run `contextmd setup` again, or `contextmd token issue`.' },
  token_lacks_scope: { status: 403, message: 'The token lacks the scope that this call needs.' },
  host_refused: { status: 403, message: 'Only addresses of this machine are served; the Host header names another.' },
  origin_refused: { status: 403, message: 'Pages of other origins may not call this server.' },
  evidence_refused: { status: 403, message: 'This harness is proven by its own records; what a client tells counts for nothing.' },
  delivery_unknown: { status: 404, message: 'No delivery has this id.' },
  route_unknown: { status: 404, message: 'There is no such call; docs/protocol.md lists them.' },
  method_refused: { status: 405, message: 'Only POST is taken here: there is no stream and no session.' },
  settle_late: { status: 409, message: 'Too late: the delivery was already settled or released.' },
  body_too_large: { status: 413, message: `The body is larger than ${MAX_BODY_BYTES / 1024 / 1024} MB.` },
  body_too_nested: { status: 413, message: 'The body is nested deeper, or made of more parts, than any event is.' },
  failed: { status: 500, message: 'Something failed in ContextMD. Its own output names this request id.' },
} as const satisfies Record<string, Failure>

export type FailureCode = keyof typeof FAILURES

/** An answer before it is written out. `body`: JSON; undefined for none. */
export interface Answer {
  readonly status: ContentfulStatusCode | 204
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A failure of the table. `detail` is a fixed text of ours that says more, never anything of the request. */
export function refusal(code: FailureCode, detail?: string, requestId = newRequestId()): Answer {
  const { status, message: text }: Failure = FAILURES[code]
  const message = detail === undefined ? text : `${text} ${detail}`
  return { status, headers: status === 401 ? { 'www-authenticate': 'Bearer' } : {}, body: { error: { code, message, requestId } } }
}

export function respond(c: Context<ServerEnv>, { status, headers, body }: Answer): Response {
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  return status === 204 ? c.body(null, 204) : c.json(body, status)
}

export function refuse(c: Context<ServerEnv>, code: FailureCode, detail?: string, requestId?: string): Response {
  return respond(c, refusal(code, detail, requestId))
}

/** Short enough to be read out, long enough to be found in the output of a day. */
export function newRequestId(): string {
  return randomBytes(6).toString('base64url')
}

/** An unknown failure as it may be printed: its message is left out, since messages quote what they failed on. */
export interface Mishap {
  readonly requestId: string
  readonly route: string
  readonly name: string
  readonly code: string | null
  /** Where it was thrown: the first lines of the stack, without the message. */
  readonly at: readonly string[]
}

/** Keeps of anything thrown what holds no text of the request. */
export function mishapFrom(thrown: unknown, route: string, requestId: string): Mishap {
  if (!(thrown instanceof Error)) return { requestId, route, name: typeof thrown, code: null, at: [] }
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null
  const frames = (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return { requestId, route, name: thrown.name, code, at: frames.slice(0, 4).map((line) => line.trim()) }
}
