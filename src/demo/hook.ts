/** Posts events as the http hook of a harness does: one kept connection, the token in a header, an answer of JSON or nothing. */
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import type { Answered } from './placeholders.ts'

const HookAnswer = z.object({
  hookSpecificOutput: z.object({ additionalContext: z.string().default(''), permissionDecisionReason: z.string().default('') }),
})
const NOTHING: Answered = { answer: '', reason: '' }

export interface Hook {
  /** Throws where the server refuses the event: a hook would let the agent go on without rules. */
  post(event: object): Promise<Answered>
  close(): void
}

export function openHook(address: string, harness: string, token: string): Hook {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const url = `${address}/contextmd/v1/moment?harness=${harness}`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return {
    async post(event) {
      const { status, body } = await send(url, headers, agent, JSON.stringify(event))
      if (status === 204) return NOTHING
      if (status !== 200) throw new Error(`the server refused an event (status ${status}): ${body}`)
      const { additionalContext, permissionDecisionReason } = HookAnswer.parse(JSON.parse(body)).hookSpecificOutput
      return { answer: additionalContext, reason: permissionDecisionReason }
    },
    close: () => agent.destroy(),
  }
}

interface Response {
  readonly status: number
  readonly body: string
}

function send(url: string, headers: Record<string, string>, agent: Agent, body: string): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers, agent }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
