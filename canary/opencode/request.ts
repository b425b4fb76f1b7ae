/** One request that the program sent to the model: what the model sees. The canary's assertions rest on this and on nothing else. */
import { z } from 'zod'

const contentSchema = z.union([z.string(), z.null(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]).optional()

const bodySchema = z.looseObject({
  model: z.string(),
  tools: z.array(z.unknown()).optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: contentSchema, tool_call_id: z.string().optional() })),
})

export interface ToolResult {
  readonly call: string
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
  /** The session of a subagent; null for the main agent. */
  readonly agent: string | null
  readonly model: string
  /** `summary`: of a compaction; `title`: for the list of sessions. */
  readonly purpose: 'turn' | 'summary' | 'title'
  readonly said: readonly Said[]
  /** The part of it that came after the model's last reply. */
  readonly fresh: readonly Said[]
}

/** Reads a request. Throws when the body is not one of the shape that the canary was written for. */
export function readRequest(body: string, number: number, headers: Readonly<Record<string, string | string[] | undefined>>): ModelRequest {
  const { model, tools = [], messages } = bodySchema.parse(JSON.parse(body))
  const session = headerOf(headers, 'x-session-id') ?? ''
  const isTurn = tools.length > 0
  const system = messages.find(({ role }) => role === 'system')
  return {
    number,
    session,
    agent: headerOf(headers, 'x-parent-session-id') === null ? null : session,
    model,
    // both are asked for without tools
    purpose: isTurn ? 'turn' : textOf(system?.content).toLowerCase().includes('title') ? 'title' : 'summary',
    said: saidIn(messages),
    fresh: saidIn(messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)),
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
  return messages.flatMap(({ role, content, tool_call_id: call }): readonly Said[] => {
    if (role === 'assistant') return []
    const text = textOf(content)
    return [{ role, text, result: role === 'tool' ? { call: call ?? '', text } : null }]
  })
}

function textOf(content: z.infer<typeof contentSchema>): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text = '' }) => text).join('\n')
}

function headerOf(headers: Readonly<Record<string, string | string[] | undefined>>, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}
