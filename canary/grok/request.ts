/**
 * One request that the program sent to the model: what the model sees. The canary's assertions rest on this and on nothing else.
 */
import { z } from 'zod'

const bodySchema = z.looseObject({
  model: z.string(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish(),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z.array(z.unknown()).nullish(),
})
type Messages = z.infer<typeof bodySchema>['messages']

/** What the person or the harness said, in order of the conversation. What the model said itself is left out. */
export interface Said {
  readonly role: string
  readonly text: string
  /** Set when it is the result of this call. */
  readonly call: string | null
}

export interface ModelRequest {
  /** Position among all requests of the row, from 0. */
  readonly number: number
  readonly session: string
  /** Null for the main agent. */
  readonly agent: string | null
  readonly model: string
  /** `summary`: for a compaction; `side`: a title and the like. */
  readonly asksFor: 'reply' | 'summary' | 'side'
  readonly said: readonly Said[]
  /** The part of it that came after the model's last reply. */
  readonly fresh: readonly Said[]
}

/** How the program begins a subagent's conversation, and asks for a summary; seen in 1.0.41. */
const SUBAGENT = /^You are a Grok Build subagent/
const SUMMARY = /faithful, concise summary/i

/** Reads a request. Throws when the body is not one of the shape that the canary was written for. */
export function readRequest(body: string, number: number, headers: Readonly<Record<string, string | string[] | undefined>>): ModelRequest {
  const { messages, model, tools } = bodySchema.parse(JSON.parse(body))
  const session = headerOf(headers, 'x-grok-session-id')
  const last = messages.at(-1)
  const asksForSummary = last !== undefined && SUMMARY.test(textOf(last))
  const isSide = session === '' || (tools ?? []).length <= 1
  return {
    number,
    session,
    agent: SUBAGENT.test(textOf(messages[0])) ? session : null,
    model,
    asksFor: asksForSummary ? 'summary' : isSide ? 'side' : 'reply',
    said: saidIn(messages),
    fresh: saidIn(messages.slice(messages.findLastIndex((message) => message.role === 'assistant') + 1)),
  }
}

/** Everything that was said to the model, as one text. */
export function allText(request: ModelRequest): string {
  return request.said.map((part) => part.text).join('\n')
}

/** How often a text stands in what was said to the model. */
export function countOf(request: ModelRequest, text: string): number {
  return allText(request).split(text).length - 1
}

/** Results of the calls of the model's last reply. */
export function freshResults(request: ModelRequest): readonly Said[] {
  return request.fresh.filter((part) => part.call !== null)
}

function saidIn(messages: Messages): readonly Said[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' ? [] : [{ role: message.role, text: textOf(message), call: message.tool_call_id ?? null }],
  )
}

function textOf(message: Messages[number] | undefined): string {
  const content = message?.content ?? ''
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n')
}

function headerOf(headers: Readonly<Record<string, string | string[] | undefined>>, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}
