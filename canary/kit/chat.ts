/** The event stream of `POST /v1/chat/completions`, which more than one harness speaks, and the messages of its requests. */
import { z } from 'zod'
import { USUAL_INPUT_TOKENS, USUAL_OUTPUT_TOKENS } from './reply.ts'
import type { ModelReply } from './reply.ts'
import type { Said } from './request.ts'

const contentSchema = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish()

export const chatSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: contentSchema, tool_call_id: z.string().optional() })),
  tools: z.array(z.unknown()).nullish(),
})
export type Messages = z.infer<typeof chatSchema>['messages']

/** What was said to the model, and the part of it that came after its last reply. */
export function saidInChat(messages: Messages): { readonly said: readonly Said[]; readonly fresh: readonly Said[] } {
  return { said: saidIn(messages), fresh: saidIn(messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)) }
}

function saidIn(messages: Messages): readonly Said[] {
  return messages.flatMap((message): readonly Said[] => {
    if (message.role === 'assistant') return []
    const text = chatText(message)
    return [{ role: message.role, text, result: message.role === 'tool' ? { call: message.tool_call_id ?? '', text } : null }]
  })
}

export function chatText(message: Messages[number] | undefined): string {
  const content = message?.content ?? ''
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n')
}

export function chatStream(reply: ModelReply, model: string, id: string): string {
  const chunk = (delta: object, finish: string | null = null): object => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const input = reply.inputTokens ?? USUAL_INPUT_TOKENS
  const usage = { prompt_tokens: input, completion_tokens: USUAL_OUTPUT_TOKENS, total_tokens: input + USUAL_OUTPUT_TOKENS }
  const made = reply.blocks.filter((block) => block.type === 'call')
  const text = reply.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
  const chunks = [
    chunk({ role: 'assistant', content: text }),
    ...made.map(({ tool, input: given }, index) =>
      chunk({
        tool_calls: [{ index, id: `call_${id}_${index}`, type: 'function', function: { name: tool, arguments: JSON.stringify(given) } }],
      }),
    ),
    chunk({}, made.length === 0 ? 'stop' : 'tool_calls'),
    { ...chunk({}), choices: [], usage },
  ]
  return `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`
}
