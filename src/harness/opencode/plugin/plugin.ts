/**
 * The OpenCode plugin: tells the ContextMD server what happens, puts its texts in, stops a call by an error, and says what the model
 * was sent.
 *
 * Most hooks end the person's prompt when they throw, and none has a time limit: so each is caught and bounded here, and the one error
 * that leaves is the deny. It holds no rules and no queue.
 */
import { dirname } from 'node:path'
import { Address } from './address.ts'
import { guardedWhile } from './guarded.ts'
import type { Hooks, Message, Part, PluginInput, ToolOutput } from './api.ts'
import { within } from './bounded.ts'
import { Calls } from './calls.ts'
import { isSwitchedOff, left, Moments } from './moments.ts'
import { isOurs, partAfter } from './part.ts'
import { allowReading } from './permissions.ts'
import { Server } from './server.ts'
import { Sessions } from './sessions.ts'
import { startServer } from './start.ts'
import { tellEvent } from './events.ts'
import { Tools } from './tools.ts'
import { Verdicts } from './verdicts.ts'

export interface PluginOptions {
  readonly port: number
  /** Absolute path of the file with the token. */
  readonly headerFile: string
  /** Limit of one hook, in seconds. */
  readonly seconds: number
  /** Absolute folders of the files that a held call may name. */
  readonly readable: readonly string[]
}

/** By folder: the copy that runs there. Set up for the person and for the project as well, the one that was loaded last does. */
const running = new Map<string, object>()

export function contextmd(options: PluginOptions): (input: PluginInput) => Promise<Hooks> {
  return async (input) => {
    const self = {}
    running.set(input.directory, self)
    return hooksOf(options, input, () => running.get(input.directory) === self)
  }
}

function hooksOf(options: PluginOptions, { client, directory }: PluginInput, isCurrent: () => boolean): Hooks {
  const guarded = guardedWhile(isCurrent)
  const sessions = new Sessions(client)
  const limit = options.seconds * 1_000
  const hooksFolder = dirname(options.headerFile)
  const address = new Address({ port: options.port, hooksFolder, env: process.env })
  const server = new Server({ address, headerFile: options.headerFile })
  const moments = new Moments({ server, sessions, directory, limit })
  /** For the moments that follow: nothing waits for it. */
  const wakeServer = guarded(async () => {
    if (!address.isOwn || isSwitchedOff(process.env)) return
    if (startServer(hooksFolder, (await address.find(limit)) === null ? '' : address.line())) server.starts()
  })
  const verdicts = new Verdicts()
  const calls = new Calls()
  const tools = new Tools()

  /** Puts an answer's text into a message that is about to be stored. */
  const putInto = (session: string, message: { readonly id: string }, parts: Part[], answer: Readonly<Record<string, unknown>> | null) => {
    const { delivery, text } = answer ?? {}
    if (typeof delivery !== 'string' || typeof text !== 'string') return
    parts.push(partAfter(parts, { id: message.id, sessionID: session }, text, delivery))
    verdicts.handed(delivery, session, text, { kind: 'message' })
  }

  void wakeServer()

  return {
    config: guarded(async (config) => {
      tools.servers(Object.keys(config.mcp ?? {}))
      allowReading(config, options.readable)
    }),

    event: guarded(async ({ event }) => tellEvent(event, { moments, sessions, verdicts, calls, tools })),

    'chat.message': guarded(async (input, { message, parts }) => {
      const session = input.sessionID
      if (isOurs(parts)) return
      const until = moments.end()
      const source = await sessions.sourceAtFirst(session, left(until))
      const told = { message: { id: message.id }, parts: parts.flatMap(toldPart) }
      if (source !== null) {
        void wakeServer()
        putInto(
          session,
          message,
          parts,
          await moments.ask({ hook: 'contextmd.session-start', session, input: { sessionID: session, source } }, until),
        )
      }
      for (const { url } of told.parts)
        if (url !== undefined) await moments.ask({ hook: 'contextmd.file', session, input: { sessionID: session, url } }, until)
      putInto(
        session,
        message,
        parts,
        await moments.ask({ hook: 'chat.message', session, input: { sessionID: session }, output: told }, until),
      )
    }),

    'tool.definition': guarded(async ({ toolID }) => tools.described(toolID)),

    async 'tool.execute.before'(input, output) {
      const deny = await guarded(async () => {
        const { tool, sessionID: session, callID } = input
        calls.began(session, callID)
        const more = { mcpServer: tools.serverOf(tool), messageID: calls.messageOf(session, callID) }
        const answer = await moments.ask({ hook: 'tool.execute.before', session, input, output: { args: clipped(output.args) }, more })
        const { delivery, deny: text, notice } = answer ?? {}
        if (typeof delivery !== 'string' || typeof text !== 'string') return null
        calls.denied(session, callID)
        verdicts.handed(delivery, session, text, { kind: 'call', call: callID })
        if (typeof notice === 'string') showNotice(client, notice)
        return text
      })()
      if (typeof deny === 'string') throw new Error(deny)
    },

    'tool.execute.after': guarded(async (input, output) => {
      const { tool, sessionID: session, callID } = input
      const told = {
        output: output.output,
        content: output.content?.filter(({ type }) => type === 'text').map(clipped),
        metadata: { exit: output.metadata?.exit },
      }
      const more = { mcpServer: tools.serverOf(tool), messageID: calls.messageOf(session, callID) }
      const { delivery, text } =
        (await moments.ask({ hook: 'tool.execute.after', session, input: { ...input, args: clipped(input.args) }, output: told, more })) ??
        {}
      for (const path of loadedIn(output)) moments.tell({ hook: 'contextmd.loaded', session, input: { sessionID: session, path } })
      if (typeof delivery !== 'string' || typeof text !== 'string' || !append(output, text)) return
      verdicts.handed(delivery, session, text, { kind: 'call', call: callID })
    }),

    'experimental.chat.messages.transform': guarded(async (_, { messages }) => {
      const session = messages[0]?.info.sessionID
      if (session === undefined) return
      verdicts.outgoing(session, messages)
      const done = finishedCalls(messages)
      if (done !== null && calls.isNewBatch(session, done.messageID))
        moments.tell({ hook: 'contextmd.batch-end', session, input: { sessionID: session, ...done } })
    }),

    'experimental.chat.system.transform': guarded(async ({ sessionID: session }, { system }) => {
      if (session === undefined) return
      for (const path of calls.newlyLoaded(session, system))
        moments.tell({ hook: 'contextmd.loaded', session, input: { sessionID: session, path } })
    }),

    'experimental.session.compacting': guarded(async ({ sessionID: session }) => {
      moments.tell({ hook: 'experimental.session.compacting', session, input: { sessionID: session } })
    }),

    'experimental.compaction.autocontinue': guarded(async ({ sessionID: session, agent, message }) => {
      const until = moments.end()
      calls.compacted(session)
      const { delivery, text } =
        (await moments.ask({ hook: 'experimental.compaction.autocontinue', session, input: { sessionID: session } }, until)) ?? {}
      if (typeof delivery !== 'string' || typeof text !== 'string') return
      verdicts.handed(delivery, session, text, { kind: 'message' })
      const part = { type: 'text', text, synthetic: true, metadata: { contextmd: { delivery } } }
      // agent and model as they are: a message without them would switch the session to its defaults
      await within(
        client.session.prompt({ path: { id: session }, body: { noReply: true, agent, model: message?.model, parts: [part] } }),
        left(until),
      )
    }),
  }
}

/** Of a message only what a trigger can match: no images, nothing that the program added. */
function toldPart({
  type,
  text,
  synthetic,
  url,
}: Part): readonly { readonly type: string; readonly text?: string; readonly url?: string }[] {
  if (type === 'text' && text !== undefined) return synthetic === true ? [] : [{ type, text }]
  return type === 'file' && url?.startsWith('file:') === true ? [{ type, url }] : []
}

/** Longer texts of a call are told in part: the server takes 8 MB at most, and a call that it can't take passes unseen (M9). */
const MAX_TEXT = 1_000_000

function clipped(args: unknown): unknown {
  if (typeof args !== 'object' || args === null) return args
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, typeof value === 'string' ? value.slice(0, MAX_TEXT) : value]))
}

/** False where there is no place for it. */
function append(output: ToolOutput, text: string): boolean {
  if (typeof output.output === 'string') output.output = `${output.output}\n\n${text}`
  else if (Array.isArray(output.content)) output.content.push({ type: 'text', text })
  else return false
  return true
}

/** Rule files that the program itself added to what was read. */
function loadedIn({ metadata }: ToolOutput): readonly string[] {
  const loaded = metadata?.loaded
  return Array.isArray(loaded) ? loaded.filter((path): path is string => typeof path === 'string') : []
}

/** The calls of the model's last reply, all done by now; null if it made none. */
function finishedCalls(messages: readonly Message[]): { readonly messageID: string; readonly calls: readonly string[] } | null {
  const last = messages.findLast(({ info }) => info.role === 'assistant')
  const ids = last?.parts.flatMap(({ type, callID }) => (type === 'tool' && callID !== undefined ? [callID] : [])) ?? []
  return last?.info.id === undefined || ids.length === 0 ? null : { messageID: last.info.id, calls: ids }
}

/** One line for the person, where somebody looks at a screen. */
function showNotice(client: PluginInput['client'], message: string): void {
  client.tui?.showToast({ body: { message, variant: 'info' } }).catch(() => {})
}
