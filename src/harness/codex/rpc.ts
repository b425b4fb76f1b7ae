/** JSON-RPC over the standard streams of `codex app-server`: one message a line. */
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** Starting a thread with a slow hook server takes about a second; two busy cores make it more. */
const CALL_TIMEOUT_MS = 30_000

export interface Notification {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

export interface Rpc {
  /** Throws with the server's own words when it refuses, and when it does not answer in time. */
  call(method: string, params: object): Promise<unknown>
  tell(method: string): void
}

export function openRpc(output: Readable, input: Writable, onNotification: (notification: Notification) => void): Rpc {
  const waiting = new Map<number, (answer: Message) => void>()
  let last = 0

  createInterface({ input: output }).on('line', (text) => {
    const message = parsed(text)
    if (message === null) return
    if (typeof message.id === 'number' && message.method === undefined) return waiting.get(message.id)?.(message)
    if (message.id === undefined && message.method !== undefined) onNotification({ method: message.method, params: message.params ?? {} })
  })

  return {
    async call(method, params) {
      const id = (last += 1)
      let timer: NodeJS.Timeout | undefined
      const answer = await new Promise<Message | null>((resolve) => {
        waiting.set(id, resolve)
        timer = setTimeout(resolve, CALL_TIMEOUT_MS, null)
        input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      }).finally(() => {
        clearTimeout(timer)
        waiting.delete(id)
      })
      if (answer === null) throw new Error(`${method} was not answered`)
      if (answer.error !== undefined) throw new Error(`${method} was refused: ${JSON.stringify(answer.error)}`)
      return answer.result
    },
    tell: (method) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', method })}\n`),
  }
}

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: unknown
}

function parsed(line: string): Message | null {
  try {
    const value: unknown = JSON.parse(line)
    // The server speaks JSON-RPC; a message of another form has none of the fields.
    return typeof value === 'object' && value !== null ? (value as Message) : null
  } catch {
    return null
  }
}
