/**
 * One request that the program sent to the model: what the model sees. The canary's assertions rest on this and on nothing else.
 */
import { z } from 'zod'

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().optional(),
  content: z.unknown().optional(),
})

const bodySchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(blockSchema)]) })),
})

export interface ToolResult {
  readonly call: string
  readonly isError: boolean
  readonly text: string
}

/** What the person or the harness said, in order of the conversation. What the model said itself is left out. */
export interface Said {
  readonly role: string
  readonly text: string
  /** Set when it is the result of a call. */
  readonly result: ToolResult | null
}

export interface ModelRequest {
  /** Position among all requests of the row, from 0. */
  readonly number: number
  readonly session: string
  /** Null for the main agent. */
  readonly agent: string | null
  readonly model: string
  /** True when the program asks for the summary of a compaction. */
  readonly asksForSummary: boolean
  readonly said: readonly Said[]
  /** The part of it that came after the model's last reply. */
  readonly fresh: readonly Said[]
}

/** How the program asks for a summary; seen in versions 2.1.x. */
const SUMMARY_REQUEST = /create a detailed summary of|detailed summary of the conversation/i

/** Reads a request. Throws when the body is not one of the shape that the canary was written for. */
export function readRequest(body: string, number: number, headers: Readonly<Record<string, string | string[] | undefined>>): ModelRequest {
  const parsed = bodySchema.parse(JSON.parse(body))
  const said = saidIn(parsed.messages)
  const last = said.findLast((part) => part.result === null && part.role === 'user')
  return {
    number,
    session: headerOf(headers, 'x-claude-code-session-id') ?? '',
    agent: headerOf(headers, 'x-claude-code-agent-id'),
    model: parsed.model,
    asksForSummary: last !== undefined && SUMMARY_REQUEST.test(last.text),
    said,
    fresh: saidIn(parsed.messages.slice(parsed.messages.findLastIndex((message) => message.role === 'assistant') + 1)),
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
export function freshResults(request: ModelRequest): readonly ToolResult[] {
  return request.fresh.flatMap((part) => (part.result === null ? [] : [part.result]))
}

function saidIn(messages: z.infer<typeof bodySchema>['messages']): readonly Said[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' ? [] : contentOf(message.content).map((part) => ({ role: message.role, ...part })),
  )
}

function contentOf(content: string | readonly z.infer<typeof blockSchema>[]): readonly Omit<Said, 'role'>[] {
  if (typeof content === 'string') return [{ text: content, result: null }]
  return content.map((block) => {
    if (block.type !== 'tool_result') return { text: block.text ?? '', result: null }
    const text = resultText(block.content)
    return { text, result: { call: block.tool_use_id ?? '', isError: block.is_error === true, text } }
  })
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  const blocks = z.array(blockSchema).safeParse(content)
  return blocks.success ? blocks.data.map((block) => block.text ?? '').join('\n') : ''
}

function headerOf(headers: Readonly<Record<string, string | string[] | undefined>>, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}
