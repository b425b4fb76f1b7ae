/**
 * One request that the program sent to the model: what the model sees. The canary's assertions rest on this and on nothing else.
 */
export interface ToolResult {
  readonly call: string
  /** Set where the wire tells it. */
  readonly isError?: boolean
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
  /** `summary`: of a compaction; `side`: a title and the like. */
  readonly asksFor: 'reply' | 'summary' | 'side'
  readonly said: readonly Said[]
  /** The part of it that came after the model's last reply. */
  readonly fresh: readonly Said[]
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Null where there is none, or an empty one. */
export function headerOf(headers: Headers, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : null
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
