/**
 * Stands between the real program's hooks and the real server, and writes down what passes: each event, what the program had written to
 * its session file by then, and the answer.
 *
 * An event is passed on only once the file has been still for a moment, so that the order of the recording is the order that the server
 * could see: what stands before an event was there before the server got it.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

/** The program gathers lines for about 100 ms, and records a request up to 163 ms after it was sent. */
const STILL_MS = 250

const eventSchema = z.looseObject({ hook_event_name: z.string(), transcript_path: z.string() })
type HookEvent = z.infer<typeof eventSchema>

const answerSchema = z.looseObject({
  hookSpecificOutput: z.looseObject({
    additionalContext: z.string().optional(),
    permissionDecisionReason: z.string().optional(),
  }),
})

export type Heard =
  /** `number` counts the events from 1. */
  | {
      readonly kind: 'event'
      readonly number: number
      readonly event: HookEvent
      readonly text: string | null
      readonly reason: string | null
    }
  | { readonly kind: 'records'; readonly lines: readonly string[] }

interface Tap {
  readonly port: number
  /** Address of the real server. Before it is known every hook is answered with nothing. */
  passTo(address: string): void
  heard(): readonly Heard[]
  /** Takes in what the program wrote after its last event. */
  finish(): Promise<void>
  close(): Promise<void>
}

export async function openTap(): Promise<Tap> {
  const heard: Heard[] = []
  let address: string | null = null
  let file: string | null = null
  let lines = 0
  let events = 0

  const takeLines = async (): Promise<void> => {
    if (file === null) return
    await sleep(STILL_MS)
    const whole = (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1)
    if (whole.length > lines) heard.push({ kind: 'records', lines: whole.slice(lines) })
    lines = whole.length
  }

  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await bodyOf(incoming)
    const event = eventSchema.parse(JSON.parse(body))
    file = event.transcript_path
    await takeLines()
    if (address === null) return void outgoing.writeHead(204).end()
    const { authorization = '', 'contextmd-off': off = '' } = incoming.headers
    const headers = { authorization, 'contextmd-off': String(off), 'content-type': 'application/json' }
    const response = await fetch(`${address}${incoming.url ?? '/'}`, { method: 'POST', headers, body })
    const answered = await response.text()
    const given = answered === '' ? null : answerSchema.parse(JSON.parse(answered)).hookSpecificOutput
    events += 1
    heard.push({
      kind: 'event',
      number: events,
      event,
      text: given?.additionalContext ?? null,
      reason: given?.permissionDecisionReason ?? null,
    })
    outgoing.writeHead(response.status, { 'content-type': 'application/json' }).end(answered)
  }

  let queue = Promise.resolve()
  const server = createServer((incoming, outgoing) => {
    // one after the other: the order in the recording is the order in which the server got them
    queue = queue.then(() => pass(incoming, outgoing)).catch(() => void outgoing.writeHead(500).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a TCP port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    port,
    passTo: (real) => void (address = real),
    heard: () => heard,
    finish: takeLines,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  // Chunks of an incoming message without an encoding are buffers.
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
