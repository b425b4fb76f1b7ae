/**
 * One request that the program sent to the model: what the model sees. The canary's assertions rest on this and on nothing else.
 */
import { z } from 'zod'

const itemSchema = z.looseObject({
  type: z.string(),
  role: z.string().optional(),
  call_id: z.string().optional(),
  content: z.unknown().optional(),
  output: z.unknown().optional(),
})
type Item = z.infer<typeof itemSchema>

const bodySchema = z.looseObject({ model: z.string(), stream: z.boolean().optional(), input: z.array(itemSchema) })

const blockSchema = z.looseObject({ type: z.string(), text: z.string().optional() })

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
  /** Null for the main agent. */
  readonly agent: string | null
  readonly model: string
  /** True when the program asks for the summary of a compaction. */
  readonly asksForSummary: boolean
  readonly said: readonly Said[]
  /** The part of it that came after the model's last reply. */
  readonly fresh: readonly Said[]
}

/** How the program asks for a summary; seen in version 0.171.0. */
const SUMMARY_REQUEST = /CONTEXT CHECKPOINT COMPACTION/

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Reads a request. Throws when the body is not one of the shape that the canary was written for. */
export function readRequest(body: string, number: number, headers: Headers): ModelRequest {
  const { input, model } = bodySchema.parse(JSON.parse(body))
  const session = headerOf(headers, 'session-id') ?? ''
  const thread = headerOf(headers, 'thread-id')
  const last = input.at(-1)
  return {
    number,
    session,
    agent: thread === session ? null : thread,
    model,
    asksForSummary: last?.type === 'compaction_trigger' || SUMMARY_REQUEST.test(last === undefined ? '' : textOf(last.content)),
    said: saidIn(input),
    fresh: saidIn(input.slice(input.findLastIndex(isOfModel) + 1)),
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

/** Ids of the subagents that the calls of the model's last reply started. */
export function startedAgents(request: ModelRequest): readonly string[] {
  return freshResults(request).flatMap(({ text }) => /"agent_id":"([^"]+)"/.exec(text)?.[1] ?? [])
}

function isOfModel({ type, role }: Item): boolean {
  if (type === 'message') return role === 'assistant'
  return type === 'reasoning' || type.endsWith('_call')
}

function saidIn(items: readonly Item[]): readonly Said[] {
  return items.flatMap((item): readonly Said[] => {
    if (isOfModel(item)) return []
    if (!item.type.endsWith('_output')) return [{ role: item.role ?? item.type, text: textOf(item.content), result: null }]
    const text = textOf(item.output)
    return [{ role: 'tool', text, result: { call: item.call_id ?? '', text } }]
  })
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const blocks = z.array(blockSchema).safeParse(content)
  return blocks.success ? blocks.data.map((block) => block.text ?? '').join('\n') : ''
}

function headerOf(headers: Headers, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}
