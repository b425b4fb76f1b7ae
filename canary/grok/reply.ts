/**
 * What the scripted model says, and how it goes over the wire.
 *
 * In: a text and tool calls. Out: the event stream of `POST /v1/chat/completions` with `stream: true`. Several calls in one reply are a
 * wave: parallel calls.
 */
export interface Call {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface ModelReply {
  readonly text: string
  readonly calls: readonly Call[]
  /** Tokens that the request is said to have held. A large figure makes the program compact by itself. */
  readonly inputTokens?: number
}

/** Far below any window, so that nothing is compacted unless a row asks for it. */
const USUAL_INPUT_TOKENS = 1_000
const USUAL_OUTPUT_TOKENS = 20

export function say(text: string, inputTokens?: number): ModelReply {
  return { text, calls: [], ...(inputTokens === undefined ? {} : { inputTokens }) }
}

/** One wave of calls. */
export function calls(...made: readonly Call[]): ModelReply {
  return { text: '', calls: made }
}

export function shell(command: string): Call {
  return { tool: 'run_terminal_command', input: { command, description: 'scripted' } }
}

/** A command that goes on in the background. */
export function background(command: string): Call {
  return { tool: 'run_terminal_command', input: { command, description: 'scripted', background: true } }
}

export function read(path: string): Call {
  return { tool: 'read_file', input: { target_file: path } }
}

export function subagent(prompt: string): Call {
  return { tool: 'spawn_subagent', input: { description: 'scripted', prompt, subagent_type: 'general-purpose', background: false } }
}

/** The reply as an event stream. `id` must be unique within the run: ids of replies and calls are made of it. */
export function eventStream(reply: ModelReply, model: string, id: string): string {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const prompt = reply.inputTokens ?? USUAL_INPUT_TOKENS
  const usage = { prompt_tokens: prompt, completion_tokens: USUAL_OUTPUT_TOKENS, total_tokens: prompt + USUAL_OUTPUT_TOKENS }
  const made = reply.calls.map(({ tool, input }, index) =>
    chunk({
      tool_calls: [{ index, id: `call_${id}_${index}`, type: 'function', function: { name: tool, arguments: JSON.stringify(input) } }],
    }),
  )
  const events = [
    chunk({ role: 'assistant', content: reply.text }),
    ...made,
    chunk({}, reply.calls.length === 0 ? 'stop' : 'tool_calls'),
    { ...chunk({}), choices: [], usage },
  ]
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`
}
