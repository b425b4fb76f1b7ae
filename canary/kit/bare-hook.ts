/**
 * A hook without ContextMD: it answers every event with a text of the greatest length that the profile allows, and every one must stand
 * whole in what the model is sent. So a new version that changes a limit or a place is told apart from a mistake of ours.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import type { Limit } from '../../src/core/profile.ts'
import { must } from '../row.ts'
import { bodyOf } from './model.ts'
import { countOf } from './request.ts'
import type { Stage } from './stage.ts'

const eventSchema = z.looseObject({
  hook_event_name: z.string(),
  tool_input: z.looseObject({ command: z.string().optional() }).optional(),
})
export type HookEvent = z.infer<typeof eventSchema>

export interface BareAnswer {
  /** The text that must arrive; null where none is handed over. */
  readonly text: string | null
  readonly body: object
}

export interface BareHook {
  readonly url: string
  /** Each text that was handed over, with its event. */
  readonly given: readonly { readonly event: string; readonly text: string }[]
  close(): void
}

/** `number`: of the texts so far, so that no two are the same. */
export async function startBareHook(answer: (event: HookEvent, number: number) => BareAnswer): Promise<BareHook> {
  const given: { event: string; text: string }[] = []
  const server = createServer((incoming, outgoing) => {
    bodyOf(incoming)
      .then((text) => {
        const event = eventSchema.parse(JSON.parse(text))
        const answered = answer(event, given.length)
        if (answered.text !== null) given.push({ event: event.hook_event_name, text: answered.text })
        return outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered.body))
      })
      .catch(() => outgoing.writeHead(500).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a TCP port has an address of this form.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, given, close: () => (server.close(), server.closeAllConnections()) }
}

/** A command hook that posts its event there. */
export function curlTo(url: string): object {
  return { type: 'command', command: `curl -s --max-time 8 --data-binary @- ${url} || exit 0`, timeout: 10 }
}

/** A text exactly as long as the limit, with characters of one, two, three and four bytes. */
export function filled(name: string, { unit, max }: Limit): string {
  const [head, tail, pattern] = [`SEAM ${name} `, ` END ${name}`, 'aé語🚦']
  const sizeOf = (text: string): number => (unit === 'bytes' ? Buffer.byteLength(text) : text.length)
  const room = max - sizeOf(head) - sizeOf(tail)
  const filling = pattern.repeat(Math.floor(room / sizeOf(pattern)))
  return `${head}${filling}${'.'.repeat(room - sizeOf(filling))}${tail}`
}

/** The program told of every event, and each text stands whole in some request. */
export function mustHaveArrived(stage: Stage, hook: BareHook, events: readonly string[]): void {
  for (const event of events)
    must(
      hook.given.some((given) => given.event === event),
      `the program should have told of ${event}`,
    )
  for (const { event, text } of hook.given) must(hasArrived(stage, text), `${sizes(text)} at ${event} should have arrived whole`)
}

export function hasArrived(stage: Stage, text: string): boolean {
  return stage.model.requests().some((request) => countOf(request, text) === 1)
}

export function sizes(text: string): string {
  return `${text.length} UTF-16 units (${Buffer.byteLength(text)} bytes)`
}
