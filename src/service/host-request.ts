/** Requests to a host's own HTTP interface on this machine. No agent of the process is used: it might send loopback calls through a proxy. */
import { request } from 'node:http'

/** A host answers in milliseconds; one that is silent this long hangs. */
const ANSWER_MS = 10_000
/** A token and what is told of it. */
const MAX_ANSWER_CHARS = 64 * 1024

export interface HostAnswer {
  readonly status: number
  /** Parsed; null for what is no JSON. */
  readonly body: unknown
}

export interface HostCall {
  readonly port: number
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Posted, in the form of a page's form. */
  readonly form?: Readonly<Record<string, string>>
}

/** Null where no whole answer comes in time. */
export function askHostAt({ port, path, headers = {}, form }: HostCall, timeoutMs = ANSWER_MS): Promise<HostAnswer | null> {
  const body = form === undefined ? null : new URLSearchParams(form).toString()
  const content = body === null ? {} : { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method: body === null ? 'GET' : 'POST',
      headers: { ...headers, ...content },
      agent: false,
    }
    const asking = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (text.length <= MAX_ANSWER_CHARS) return
        resolve(null)
        asking.destroy()
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parsed(text) }))
      response.on('error', () => resolve(null))
    })
    const timer = setTimeout(() => asking.destroy(), timeoutMs)
    asking.on('error', () => resolve(null))
    asking.on('close', () => {
      clearTimeout(timer)
      resolve(null)
    })
    asking.end(body ?? undefined)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
