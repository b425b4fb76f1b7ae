/** One conversation with the program, over its own routes, as its interface and its SDK use them. */
import { z } from 'zod'
import type { Session as KitSession } from '../kit/stage.ts'
import type { Program } from './program.ts'

/** One prompt, from its posting to the model's last words. A scripted one takes about a second, on a busy machine far longer. */
export const PROMPT_TIMEOUT_MS = 240_000

const sessionSchema = z.looseObject({ id: z.string() })
const messagesSchema = z.array(z.looseObject({ info: z.looseObject({ id: z.string(), role: z.string() }) }))
const replySchema = z.looseObject({
  info: z.looseObject({ id: z.string(), error: z.unknown().optional() }),
  parts: z.array(z.looseObject({ type: z.string() })).optional(),
})

export interface SessionOptions {
  /** A program of the session's own, that is run in another way than as the server. */
  readonly way?: 'acp' | 'run'
  /** `scripted/gpt-5` is given `apply_patch` instead of `edit` and `write`. */
  readonly model?: 'm1' | 'gpt-5'
  readonly agent?: string
  /** An earlier session that is copied, or gone on with. */
  readonly from?: { readonly way: 'resume' | 'fork'; readonly session: string }
  /** A program of the row's own, with this in its environment. */
  readonly env?: Readonly<Record<string, string>>
}

export interface Session extends KitSession {
  /** Parts of a message: a text, an attached file. */
  post(parts: readonly object[]): Promise<void>
  /** A slash command of the settings. */
  command(name: string, words: string): Promise<void>
  /** Takes back everything from the last prompt on. */
  undo(): Promise<void>
}

export async function openSession(program: Program, directory: string, options: SessionOptions = {}): Promise<Session> {
  const { from } = options
  if (from?.way === 'resume') return sessionOf(program, directory, from.session, options)
  const path = from === undefined ? '/session' : `/session/${from.session}/fork`
  const { id } = sessionSchema.parse(await request(program, directory, 'POST', path, {}))
  return sessionOf(program, directory, id, options)
}

function sessionOf(program: Program, directory: string, id: string, options: SessionOptions): Session {
  const model = { providerID: 'scripted', modelID: options.model ?? 'm1' }
  const ask = (method: string, path: string, body?: object): Promise<unknown> =>
    request(program, directory, method, `/session/${id}${path}`, body)
  const post = async (parts: readonly object[]): Promise<void> => {
    const agent = options.agent === undefined ? {} : { agent: options.agent }
    const reply = replySchema.parse(await ask('POST', '/message', { parts, model, ...agent }))
    if (reply.info.error !== undefined) throw new Error(`the program gave an error: ${JSON.stringify(reply.info.error)}`)
  }
  return {
    id: () => id,
    post,
    say: (prompt) => post([{ type: 'text', text: prompt }]),
    command: async (name, words) => void (await ask('POST', '/command', { command: name, arguments: words, model: 'scripted/m1' })),
    compact: async () => void (await ask('POST', '/summarize', model)),
    async undo() {
      const messages = messagesSchema.parse(await ask('GET', '/message'))
      const last = messages.findLast(({ info }) => info.role === 'user')
      await ask('POST', '/revert', { messageID: last?.info.id })
    },
    notices: () => [],
    // a session ends with its program only
    end: async () => {},
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
