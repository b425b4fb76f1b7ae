/** What the scripted model says: texts and calls. How that goes over a harness's wire stands in the harness's own `wire.ts`. */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  /** A call with JSON input. */
  | { readonly type: 'call'; readonly tool: string; readonly namespace?: string; readonly input: Readonly<Record<string, unknown>> }
  /** A call that takes plain text: a patch, or a script of a code mode. */
  | { readonly type: 'custom'; readonly tool: string; readonly input: string }

/** Several calls in one reply are a wave. */
export interface ModelReply {
  readonly blocks: readonly Block[]
  /** Tokens that the request is said to have held. A large figure makes the program compact by itself. */
  readonly inputTokens?: number
}

/** Far below any window, so that nothing is compacted unless a row asks for it. */
export const USUAL_INPUT_TOKENS = 1_000
export const USUAL_OUTPUT_TOKENS = 20

export function say(text: string): ModelReply {
  return { blocks: [{ type: 'text', text }] }
}

/** One wave of calls. */
export function calls(...blocks: readonly Block[]): ModelReply {
  return { blocks }
}

export function call(tool: string, input: Readonly<Record<string, unknown>>, namespace?: string): Block {
  return namespace === undefined ? { type: 'call', tool, input } : { type: 'call', tool, input, namespace }
}
