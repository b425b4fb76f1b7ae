/** How Grok Build talks to its model: `POST /v1/chat/completions` with `stream: true` (docs/harnesses/grok.md). */
import { chatSchema, chatStream, chatText, saidInChat } from '../kit/chat.ts'
import type { Wire } from '../kit/model.ts'
import { headerOf } from '../kit/request.ts'
import type { Headers, ModelRequest } from '../kit/request.ts'

/** How the program begins a subagent's conversation, and asks for a summary; seen in 1.0.41. */
const SUBAGENT = /^You are a Grok Build subagent/
const SUMMARY_REQUEST = /faithful, concise summary/i
/** One that is too short is refused by the program. */
const SUMMARY = `The person and the agent worked on the sample project. ${'They added files, looked at the results, and wrote down what is left to do. '.repeat(30)}`

function read(body: string, number: number, headers: Headers): ModelRequest {
  const { messages, model, tools } = chatSchema.parse(JSON.parse(body))
  const session = headerOf(headers, 'x-grok-session-id') ?? ''
  const last = messages.at(-1)
  const asksForSummary = last !== undefined && SUMMARY_REQUEST.test(chatText(last))
  const isSide = session === '' || (tools ?? []).length <= 1
  return {
    number,
    session,
    agent: SUBAGENT.test(chatText(messages[0])) ? session : null,
    model,
    asksFor: asksForSummary ? 'summary' : isSide ? 'side' : 'reply',
    ...saidInChat(messages),
  }
}

export const grokWire: Wire = {
  path: '/v1/chat/completions',
  base: '/v1',
  read,
  stream: chatStream,
  summary: `<summary>${SUMMARY}</summary>`,
}
