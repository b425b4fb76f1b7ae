/** How OpenCode talks to its model: `POST /v1/chat/completions` as a stream (docs/harnesses/opencode.md). */
import { chatSchema, chatStream, chatText, saidInChat } from '../kit/chat.ts'
import type { Wire } from '../kit/model.ts'
import { headerOf } from '../kit/request.ts'
import type { Headers, ModelRequest } from '../kit/request.ts'

function read(body: string, number: number, headers: Headers): ModelRequest {
  const { model, tools, messages } = chatSchema.parse(JSON.parse(body))
  const session = headerOf(headers, 'x-session-id') ?? ''
  const system = messages.find(({ role }) => role === 'system')
  const isTurn = (tools ?? []).length > 0
  // both are asked for without tools
  const without = chatText(system).toLowerCase().includes('title') ? 'side' : 'summary'
  return {
    number,
    session,
    agent: headerOf(headers, 'x-parent-session-id') === null ? null : session,
    model,
    asksFor: isTurn ? 'reply' : without,
    ...saidInChat(messages),
  }
}

export const opencodeWire: Wire = {
  path: '/v1/chat/completions',
  base: '/v1',
  read,
  stream: chatStream,
  summary: 'The person and the agent worked on the sample project.',
}
