/**
 * What the scripted model says, and how it goes over the wire.
 *
 * In: blocks of text and tool calls. Out: the event stream of `POST /v1/messages` with `stream: true`, the one call that the
 * program makes (docs/harnesses/claude-code.md). Several calls in one reply are a wave: parallel calls.
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
const USUAL_INPUT_TOKENS = 1_000
const USUAL_OUTPUT_TOKENS = 20

export function say(text: string, inputTokens?: number): ModelReply {
  return inputTokens === undefined ? { blocks: [{ type: 'text', text }] } : { blocks: [{ type: 'text', text }], inputTokens }
}

/** One wave of calls. */
export function calls(...blocks: readonly Block[]): ModelReply {
  return { blocks }
}

export function shell(command: string): Block {
  return { type: 'call', tool: 'Bash', input: { command, description: 'scripted' } }
}

export function read(path: string): Block {
  return { type: 'call', tool: 'Read', input: { file_path: path } }
}

export function write(path: string, content: string): Block {
  return { type: 'call', tool: 'Write', input: { file_path: path, content } }
}

export function subagent(prompt: string, where: 'foreground' | 'background' = 'foreground'): Block {
  return {
    type: 'call',
    tool: 'Agent',
    input: { description: 'scripted', prompt, subagent_type: 'general-purpose', run_in_background: where === 'background' },
  }
}

/** The reply as an event stream. `id` must be unique within the run: ids of messages and calls are made of it. */
export function eventStream(reply: ModelReply, model: string, id: string): string {
  const usage = {
    input_tokens: reply.inputTokens ?? USUAL_INPUT_TOKENS,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 1,
  }
  const stop = reply.blocks.some((block) => block.type === 'call') ? 'tool_use' : 'end_turn'
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null, usage }
  const events: object[] = [{ type: 'message_start', message }]
  for (const [index, block] of reply.blocks.entries()) events.push(...blockEvents(block, index, `${id}_${index}`))
  events.push({
    type: 'message_delta',
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { output_tokens: USUAL_OUTPUT_TOKENS },
  })
  events.push({ type: 'message_stop' })
  return events.map(eventText).join('')
}

function blockEvents(block: Block, index: number, id: string): readonly object[] {
  const [start, delta] =
    block.type === 'text'
      ? [
          { type: 'text', text: '' },
          { type: 'text_delta', text: block.text },
        ]
      : [
          { type: 'tool_use', id: `toolu_${id}`, name: block.tool, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
        ]
  return [
    { type: 'content_block_start', index, content_block: start },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ]
}

function eventText(event: object): string {
  // Every event has a type: they are all made above.
  const { type } = event as { type: string }
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}
