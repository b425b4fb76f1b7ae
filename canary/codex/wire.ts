/** How Codex talks to its model: `POST /v1/responses` with `stream: true`, the one call that it makes (docs/harnesses/codex.md). */
import { z } from 'zod'
import type { Wire } from '../kit/model.ts'
import { USUAL_INPUT_TOKENS, USUAL_OUTPUT_TOKENS } from '../kit/reply.ts'
import type { Block, ModelReply } from '../kit/reply.ts'
import { headerOf } from '../kit/request.ts'
import type { Headers, ModelRequest, Said } from '../kit/request.ts'

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

/** How the program asks for a summary; seen in version 0.171.0. */
const SUMMARY_REQUEST = /CONTEXT CHECKPOINT COMPACTION/

function read(body: string, number: number, headers: Headers): ModelRequest {
  const { input, model } = bodySchema.parse(JSON.parse(body))
  const session = headerOf(headers, 'session-id') ?? ''
  const thread = headerOf(headers, 'thread-id')
  const last = input.at(-1)
  const isSummary = last?.type === 'compaction_trigger' || SUMMARY_REQUEST.test(last === undefined ? '' : textOf(last.content))
  return {
    number,
    session,
    agent: thread === session ? null : thread,
    model,
    asksFor: isSummary ? 'summary' : 'reply',
    said: saidIn(input),
    fresh: saidIn(input.slice(input.findLastIndex(isOfModel) + 1)),
  }
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

function stream(reply: ModelReply, _model: string, id: string): string {
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
    case 'call': {
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

export const codexWire: Wire = {
  path: '/v1/responses',
  base: '',
  read,
  stream,
  summary: 'The person and the agent worked on the sample project.',
}
