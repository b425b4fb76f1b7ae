/** What the bus tells, as far as it is of use: the program waits for nothing here. */
import type { BusEvent, Part } from './api.ts'
import type { Calls } from './calls.ts'
import type { Moments } from './moments.ts'
import type { Sessions } from './sessions.ts'
import type { Tools } from './tools.ts'
import type { Verdicts } from './verdicts.ts'

export interface Watching {
  readonly moments: Moments
  readonly sessions: Sessions
  readonly verdicts: Verdicts
  readonly calls: Calls
  readonly tools: Tools
}

/** The routes under `/api/session` call no hook of a plugin but this one. */
const NEWER_ROUTES = 'session.next.'

export function tellEvent(event: BusEvent, watching: Watching): void {
  const { moments, sessions, calls } = watching
  const { sessionID: session, info, part } = event.properties ?? {}
  if (session === undefined) return
  const tell = (more: object = {}) => moments.tell({ hook: 'event', session, input: { event: plain(event) }, more })
  switch (event.type) {
    case 'session.created':
      return info === undefined ? undefined : sessions.created(session, info)
    case 'message.updated':
      if (info?.summary === true && info.id !== undefined) calls.summary(info.id)
      return
    case 'message.part.updated':
      return part === undefined ? undefined : partUpdated(session, part, watching, tell)
    case 'session.compacted':
      if (!calls.wasCompactionTold(session)) tell()
      return
    case 'session.idle':
    case 'session.deleted':
      return tell()
    default:
      if (event.type.startsWith(NEWER_ROUTES) && calls.isNewBatch(NEWER_ROUTES, NEWER_ROUTES)) tell()
  }
}

function partUpdated(session: string, part: Part, { moments, verdicts, calls, tools }: Watching, tell: (more: object) => void): void {
  const { type, messageID: message, callID: call, tool } = part
  if (message === undefined) return
  if (type === 'tool' && call !== undefined) calls.inMessage(session, call, message)
  if (!calls.isSummary(message))
    for (const { delivery, verdict } of verdicts.answered(session, message)) moments.judge(session, delivery, verdict)
  if (type === 'tool' && call !== undefined && tool !== undefined && part.state?.status === 'error')
    tell({ mcpServer: tools.serverOf(tool), messageID: message, wasDenied: calls.wasDenied(session, call) })
}

/** Only what the server looks at: no text of the conversation, but for the error of a call. */
function plain({ type, properties }: BusEvent): object {
  const { sessionID, part } = properties ?? {}
  return { type, properties: part?.type === 'tool' ? { sessionID, part } : { sessionID } }
}
