/** OpenCode's plugin in a plain process, called as the program calls it. */
import { join } from 'node:path'
import { opencode } from '../../src/harness/opencode/profile.ts'
import { HEADER_FILE, writeHookFiles } from '../../src/harness/opencode/install-hooks.ts'
import type { Hooks, Message, Part } from '../../src/harness/opencode/plugin/api.ts'
import { contextmd } from '../../src/harness/opencode/plugin/plugin.ts'
import type { Desk } from './desk.fixture.ts'
import { NOTHING, type Call, type Conversation, type Driver, type Told } from './driver.fixture.ts'
import { SECONDS } from './hook-driver.fixture.ts'

/** Nobody listens on the first one. */
const NO_PORT = 1

export function pluginDriver(desk: Desk): Driver {
  writeHookFiles(desk.paths.hooks, desk.token)
  const open = async (port: number): Promise<Hooks> => {
    const headerFile = join(desk.paths.hooks, HEADER_FILE)
    const client = { session: { get: async () => ({ data: {} }), messages: async () => ({ data: [] }), prompt: async () => ({}) } }
    return contextmd({ port, headerFile, seconds: SECONDS, readable: [] })({ client, directory: desk.project })
  }
  return {
    profile: opencode,
    open: (session, env = {}) => conversation(() => open(desk.port), session, env),
    async unknown(session) {
      const hooks = await open(desk.port)
      await hooks.event({ event: { type: 'session.never.seen', properties: { sessionID: session } } })
      const talk = conversation(async () => hooks, session, {})
      const { text } = await talk.before({ id: 'odd', command: 'ls' })
      return text
    },
    garbage: null,
    down: (session) => conversation(() => open(NO_PORT), session, { CONTEXTMD_DATA: '/nowhere' }),
  }
}

type Env = Readonly<Record<string, string>>

/** The plugin reads the environment of its process. */
async function within<T>(env: Env, run: () => Promise<T>): Promise<T> {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, env)
  try {
    return await run()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

function conversation(opened: () => Promise<Hooks>, session: string, env: Env): Conversation {
  let hooks: Promise<Hooks> | null = null
  let number = 0
  const at = (): Promise<Hooks> => (hooks ??= opened())
  const ours = (parts: readonly Part[]): string =>
    parts
      .slice(1)
      .map((part) => part.text ?? '')
      .join('\n')
  const event = async (type: string, properties: object): Promise<void> =>
    (await at()).event({ event: { type, properties: { sessionID: session, ...properties } } })
  const args = ({ command }: Call) => ({ command, description: 'as told' })
  const messages: Message[] = []
  return {
    // told with the first message
    start: () => within(env, async () => (await event('session.created', { info: { id: session } }), NOTHING)),
    prompt: (text) =>
      within(env, async () => {
        const id = idOf('msg', (number += 1))
        const parts: Part[] = [{ id: idOf('prt', number), messageID: id, type: 'text', text }]
        await (await at())['chat.message']({ sessionID: session }, { message: { id }, parts })
        messages.push({ info: { id, role: 'user', sessionID: session }, parts })
        return { text: ours(parts), denied: null }
      }),
    before: (call) =>
      within(env, async (): Promise<Told> => {
        try {
          await (await at())['tool.execute.before']({ tool: 'bash', sessionID: session, callID: call.id }, { args: args(call) })
          return NOTHING
        } catch (error) {
          return { text: '', denied: error instanceof Error ? error.message : String(error) }
        }
      }),
    after: (call) =>
      within(env, async () => {
        const own = call.output ?? ''
        const result = { output: own, metadata: { exit: call.exit ?? 0 } }
        await (await at())['tool.execute.after']({ tool: 'bash', sessionID: session, callID: call.id, args: args(call) }, result)
        return { text: result.output.slice(own.length), denied: null }
      }),
    answered: (denied) =>
      within(env, async () => {
        const parts = denied.map(({ call, told }) => ({
          type: 'tool',
          tool: 'bash',
          callID: call.id,
          state: { status: 'error', error: told.denied ?? '' },
        }))
        messages.push({ info: { id: idOf('msg', (number += 1)), role: 'assistant', sessionID: session }, parts })
        await (await at())['experimental.chat.messages.transform']({}, { messages: [...messages] })
        await event('message.part.updated', { part: { id: 'p', messageID: idOf('msg', (number += 1)), type: 'step-start' } })
      }),
    stop: () => within(env, async () => (await event('session.idle', {}), NOTHING)),
    again: null,
  }
}

/** Ids of the program sort by time. */
function idOf(kind: 'msg' | 'prt', number: number): string {
  return `${kind}_22ce3be1${String(number).padStart(4, '0')}dnecdDFzPMgtUM`
}
