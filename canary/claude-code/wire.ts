/** How Claude Code talks to its model: `POST /v1/messages` with `stream: true`, the one call that it makes (docs/harnesses/claude-code.md). */
import { z } from 'zod'
import type { Wire } from '../kit/model.ts'
import { USUAL_INPUT_TOKENS, USUAL_OUTPUT_TOKENS } from '../kit/reply.ts'
import type { Block, ModelReply } from '../kit/reply.ts'
import { headerOf } from '../kit/request.ts'
import type { Headers, ModelRequest, Said } from '../kit/request.ts'

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

/** How the program asks for a summary; seen in versions 2.1.x. */
const SUMMARY_REQUEST = /create a detailed summary of|detailed summary of the conversation/i

function read(body: string, number: number, headers: Headers): ModelRequest {
  const { model, messages } = bodySchema.parse(JSON.parse(body))
  const said = saidIn(messages)
  const last = said.findLast((part) => part.result === null && part.role === 'user')
  return {
    number,
    session: headerOf(headers, 'x-claude-code-session-id') ?? '',
    agent: headerOf(headers, 'x-claude-code-agent-id'),
    model,
    asksFor: last !== undefined && SUMMARY_REQUEST.test(last.text) ? 'summary' : 'reply',
    said,
    fresh: saidIn(messages.slice(messages.findLastIndex((message) => message.role === 'assistant') + 1)),
  }
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

function stream(reply: ModelReply, model: string, id: string): string {
  const usage = {
    input_tokens: reply.inputTokens ?? USUAL_INPUT_TOKENS,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 1,
  }
  const stop = reply.blocks.some((block) => block.type !== 'text') ? 'tool_use' : 'end_turn'
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

export const claudeCodeWire: Wire = {
  path: '/v1/messages',
  base: '',
  read,
  stream,
  summary: '<summary>The person and the agent worked on the sample project.</summary>',
}
