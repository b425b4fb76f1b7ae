/** One conversation with the program, over its own routes, as its interface and its SDK use them. */
import { z } from 'zod'
import type { Program } from './program.ts'

/** One prompt, from its posting to the model's last words. A scripted one takes about a second. */
const PROMPT_TIMEOUT_MS = 60_000

const sessionSchema = z.looseObject({ id: z.string() })
const replySchema = z.looseObject({
  info: z.looseObject({ id: z.string(), error: z.unknown().optional() }),
  parts: z.array(z.looseObject({ type: z.string() })).optional(),
})

export interface SessionOptions {
  /** `scripted/gpt-5` is given `apply_patch` instead of `edit` and `write`. */
  readonly model?: 'm1' | 'gpt-5'
  readonly agent?: string
}

export interface Session {
  readonly id: string
  /** Throws when the program gives an error, or nothing in time. */
  say(prompt: string | readonly object[]): Promise<void>
  /** A slash command of the settings. */
  command(name: string, words: string): Promise<void>
  compact(): Promise<void>
  /** Takes back everything from the last prompt on. */
  undo(): Promise<void>
  fork(): Promise<Session>
  abort(): Promise<void>
  messages(): Promise<unknown>
}

export async function openSession(program: Program, directory: string, options: SessionOptions = {}): Promise<Session> {
  const { id } = sessionSchema.parse(await request(program, directory, 'POST', '/session', {}))
  return sessionOf(program, directory, id, options)
}

export function sessionOf(program: Program, directory: string, id: string, options: SessionOptions = {}): Session {
  const model = { providerID: 'scripted', modelID: options.model ?? 'm1' }
  const ask = (method: string, path: string, body?: object): Promise<unknown> =>
    request(program, directory, method, `/session/${id}${path}`, body)
  return {
    id,
    async say(prompt) {
      const parts = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt
      const reply = replySchema.parse(
        await ask('POST', '/message', { parts, model, ...(options.agent === undefined ? {} : { agent: options.agent }) }),
      )
      if (reply.info.error !== undefined) throw new Error(`the program gave an error: ${JSON.stringify(reply.info.error)}`)
    },
    command: async (name, words) => void (await ask('POST', '/command', { command: name, arguments: words, model: 'scripted/m1' })),
    compact: async () => void (await ask('POST', '/summarize', model)),
    async undo() {
      const messages = z
        .array(z.looseObject({ info: z.looseObject({ id: z.string(), role: z.string() }) }))
        .parse(await ask('GET', '/message'))
      const last = messages.findLast(({ info }) => info.role === 'user')
      await ask('POST', '/revert', { messageID: last?.info.id })
    },
    async fork() {
      const forked = sessionSchema.parse(await ask('POST', '/fork', {}))
      return sessionOf(program, directory, forked.id, options)
    },
    abort: async () => void (await ask('POST', '/abort')),
    messages: () => ask('GET', '/message'),
  }
}

export async function request(program: Program, directory: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${program.url}${path}?directory=${encodeURIComponent(directory)}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PROMPT_TIMEOUT_MS),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text.slice(0, 500)}`)
  return text === '' ? null : JSON.parse(text)
}
