/**
 * What the scripted model says, and how it goes over the wire.
 *
 * In: blocks of text and tool calls. Out: the event stream of `POST /v1/chat/completions`. Several calls in one reply are a wave.
 */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }

export interface ModelReply {
  readonly blocks: readonly Block[]
  /** Tokens that the request is said to have held. A large figure makes the program compact by itself. */
  readonly inputTokens?: number
}

/** Far below any window, so that nothing is compacted unless a row asks for it. */
const USUAL_INPUT_TOKENS = 100
const USUAL_OUTPUT_TOKENS = 10

export function say(text: string, inputTokens?: number): ModelReply {
  return inputTokens === undefined ? { blocks: [{ type: 'text', text }] } : { blocks: [{ type: 'text', text }], inputTokens }
}

/** One wave of calls. */
export function calls(...blocks: readonly Block[]): ModelReply {
  return { blocks }
}

export function call(tool: string, input: Readonly<Record<string, unknown>>): Block {
  return { type: 'call', tool, input }
}

export function shell(command: string): Block {
  return call('bash', { command, description: 'scripted' })
}

export function read(path: string): Block {
  return call('read', { filePath: path })
}

export function write(path: string, content: string): Block {
  return call('write', { filePath: path, content })
}

export function subagent(prompt: string): Block {
  return call('task', { description: 'scripted', prompt, subagent_type: 'general' })
}

/** The reply as an event stream. `id` must be unique within the run: ids of calls are made of it. */
export function eventStream(reply: ModelReply, model: string, id: string): string {
  const chunk = (delta: object, finish: string | null): object => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion.chunk',
    created: 0,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const hasCalls = reply.blocks.some(({ type }) => type === 'call')
  const input = reply.inputTokens ?? USUAL_INPUT_TOKENS
  const usage = { prompt_tokens: input, completion_tokens: USUAL_OUTPUT_TOKENS, total_tokens: input + USUAL_OUTPUT_TOKENS }
  let index = 0
  const deltas = reply.blocks.map((block) => {
    if (block.type === 'text') return { content: block.text }
    const made = {
      index,
      id: `call_${id}_${index}`,
      type: 'function',
      function: { name: block.tool, arguments: JSON.stringify(block.input) },
    }
    index += 1
    return { tool_calls: [made] }
  })
  const chunks = [
    chunk({ role: 'assistant', content: '' }, null),
    ...deltas.map((delta) => chunk(delta, null)),
    { ...chunk({}, hasCalls ? 'tool_calls' : 'stop'), usage },
  ]
  return [...chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`), 'data: [DONE]\n\n'].join('')
}
