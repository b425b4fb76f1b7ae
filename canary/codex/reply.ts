/**
 * What the scripted model says, and how it goes over the wire.
 *
 * In: texts and calls. Out: the event stream of `POST /v1/responses` with `stream: true`, the one call that the program makes
 * (docs/harnesses/codex.md). Several calls in one reply are a wave: parallel calls.
 */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  /** A tool with JSON input. */
  | { readonly type: 'function'; readonly tool: string; readonly namespace?: string; readonly input: Readonly<Record<string, unknown>> }
  /** A tool that takes plain text: a patch, or a script of the code mode. */
  | { readonly type: 'custom'; readonly tool: string; readonly input: string }

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
  return { type: 'function', tool: 'exec_command', input: { cmd: command } }
}

/** `lines`: the body of the patch, with its header lines. */
export function patch(...lines: readonly string[]): Block {
  return { type: 'custom', tool: 'apply_patch', input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') }
}

/** A script of the code mode, in which the tools are functions. */
export function script(code: string): Block {
  return { type: 'custom', tool: 'exec', input: code }
}

/** Models with plain calls start subagents by the first kind of tools, models of the code mode by the second. */
export type Agents = 'v1' | 'v2'

export function subagent(task: string, agents: Agents = 'v1', name = 'helper'): Block {
  if (agents === 'v1') return { type: 'function', tool: 'spawn_agent', namespace: 'multi_agent_v1', input: { message: task } }
  return {
    type: 'function',
    tool: 'spawn_agent',
    namespace: 'collaboration',
    input: { message: task, task_name: name, fork_turns: 'none' },
  }
}

/** Waits for subagents. `ids` are asked for by the first kind of tools only. */
export function waitFor(ids: readonly string[], agents: Agents = 'v1'): Block {
  const limit = { timeout_ms: 20_000 }
  if (agents === 'v1') return { type: 'function', tool: 'wait_agent', namespace: 'multi_agent_v1', input: { targets: ids, ...limit } }
  return { type: 'function', tool: 'wait_agent', namespace: 'collaboration', input: limit }
}

/** The reply as an event stream. `id` must be unique within the run: ids of messages and calls are made of it. */
export function eventStream(reply: ModelReply, id: string): string {
  const input = reply.inputTokens ?? USUAL_INPUT_TOKENS
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: USUAL_OUTPUT_TOKENS,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + USUAL_OUTPUT_TOKENS,
  }
  const response = `resp_${id}`
  return [
    { type: 'response.created', response: { id: response } },
    ...reply.blocks.map((block, index) => ({
      type: 'response.output_item.done',
      output_index: index,
      item: itemOf(block, `${id}_${index}`),
    })),
    { type: 'response.completed', response: { id: response, usage } },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}

function itemOf(block: Block, id: string): object {
  switch (block.type) {
    case 'text':
      return { type: 'message', id: `msg_${id}`, role: 'assistant', content: [{ type: 'output_text', text: block.text }] }
    case 'function': {
      const { tool, namespace, input } = block
      const call = {
        type: 'function_call',
        status: 'completed',
        id: `fc_${id}`,
        call_id: `call_${id}`,
        name: tool,
        arguments: JSON.stringify(input),
      }
      return namespace === undefined ? call : { ...call, namespace }
    }
    case 'custom':
      return { type: 'custom_tool_call', status: 'completed', id: `ctc_${id}`, call_id: `call_${id}`, name: block.tool, input: block.input }
    default:
      return block satisfies never
  }
}
