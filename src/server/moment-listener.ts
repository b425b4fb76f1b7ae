/**
 * The way of nearly all requests: moments, taken straight from Node's server. It saves a tenth of what a moment costs;
 * the app serves all other calls, and moments inside a host.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Engine } from '../engine/engine.ts'
import type { Tokens } from '../state/tokens.ts'
import { refuseOtherHost, refuseWithoutScope, type HeaderOf } from './access.ts'
import { MOMENT, POST_SCOPE } from './app.ts'
import { readIncomingJson } from './body.ts'
import { mishapFrom, newRequestId, type Answer, type Mishap } from './failure.ts'
import { handoverOf } from './handover.ts'
import { harnessNamed } from './harness-name.ts'
import type { MomentTimes } from './metrics-times.ts'
import { momentTaker } from './moment.ts'

/** What is left of a body when its answer is out is read this long, so that the client can take the answer; then the connection ends. */
const REST_MS = 500

export interface MomentListenerOptions {
  readonly engine: Engine
  readonly tokens: Pick<Tokens, 'check'>
  /** Names that a Host header may carry, with the port. */
  readonly hosts: () => ReadonlySet<string>
  readonly times: MomentTimes
  readonly deadlineMs: number
  readonly report: (mishap: Mishap) => void
}

/** Answers moments, and leaves all other requests to `others`. */
export function momentListener(options: MomentListenerOptions, others: RequestListener): RequestListener {
  const { engine, tokens, hosts, times, deadlineMs } = options
  const report = (thrown: unknown): void => options.report(mishapFrom(thrown, MOMENT, newRequestId()))
  const take = momentTaker(engine, deadlineMs, report)

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse, query: string): Promise<Answer> {
    // all values: a second Host or token must not hide behind the first
    const header: HeaderOf = (name) => incoming.headersDistinct[name]?.join(', ')
    const harness = (): string | null => harnessNamed(new URLSearchParams(query).get('harness'))
    const refused = refuseOtherHost(hosts(), header) ?? refuseWithoutScope({ tokens, scope: POST_SCOPE, engine }, header, harness)
    if (refused !== null) return refused
    const from = performance.now()
    const call = { header, harness: harness(), body: () => readIncomingJson(incoming), handedOver: handoverOf(incoming, outgoing) }
    try {
      return await take(call)
    } finally {
      times.took(from)
    }
  }

  return (incoming, outgoing) => {
    const query = momentQuery(incoming)
    if (query === null) return others(incoming, outgoing)
    answer(incoming, outgoing, query)
      // a moment is never blocked by a failure that nobody foresaw
      .catch((thrown): Answer => {
        report(thrown)
        return { status: 204, headers: {} }
      })
      .then((given) => write(incoming, outgoing, given))
      .catch(report)
  }
}

/** Null for what is no moment, or is named in a way that only the app understands. */
function momentQuery({ method, url = '' }: IncomingMessage): string | null {
  if (method !== 'POST' || !url.startsWith(MOMENT)) return null
  const rest = url.slice(MOMENT.length)
  return rest === '' || rest.startsWith('?') ? rest : null
}

function write(incoming: IncomingMessage, outgoing: ServerResponse, { status, headers, body }: Answer): void {
  if (!incoming.complete) endRest(incoming, outgoing)
  if (body === undefined) {
    outgoing.writeHead(status, headers).end()
    return
  }
  const text = JSON.stringify(body)
  outgoing.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
}

function endRest(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.once('finish', () => {
    incoming.resume()
    const timer = setTimeout(() => incoming.socket.destroySoon(), REST_MS)
    incoming.once('close', () => clearTimeout(timer))
  })
}
