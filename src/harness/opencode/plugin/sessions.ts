/**
 * What the plugin knows of sessions: whose subagent one is, and whether its first message was already told.
 *
 * Hooks name the session only. The rest comes from the bus, which tells a new session before its first message, and else from the
 * program itself.
 */
import type { Client, SessionInfo } from './api.ts'
import { remember, within } from './bounded.ts'

/** Sessions of one program that are remembered, newest last. */
const MAX_SESSIONS = 1_000
/** Subagents of subagents. */
const MAX_DEPTH = 8

export interface KnownSession {
  readonly parent: string | null
  readonly agent: string | null
  readonly version: string | null
}

export type Source = 'startup' | 'resume' | 'fork'

const UNKNOWN: KnownSession = { parent: null, agent: null, version: null }

export class Sessions {
  readonly #client: Client
  readonly #known = new Map<string, KnownSession>()
  /** Sessions that began while the plugin was watching. */
  readonly #created = new Map<string, true>()
  readonly #started = new Map<string, true>()

  constructor(client: Client) {
    this.#client = client
  }

  created(id: string, info: SessionInfo): void {
    remember(this.#known, id, knownFrom(info), MAX_SESSIONS)
    remember(this.#created, id, true, MAX_SESSIONS)
  }

  /** At most so long. A session of which nothing can be learned counts as a main one. */
  async know(id: string, ms: number): Promise<KnownSession> {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const answer = await within(this.#client.session.get({ path: { id } }), ms)
    if (answer?.data === undefined) return UNKNOWN
    const info = knownFrom(answer.data)
    remember(this.#known, id, info, MAX_SESSIONS)
    return info
  }

  /** The main session that a subagent's session belongs to; null for a main session itself. */
  async rootOf(id: string, ms: number): Promise<string | null> {
    let root: string | null = null
    let { parent } = await this.know(id, ms)
    for (let depth = 0; parent !== null && depth < MAX_DEPTH; depth += 1) {
      root = parent
      parent = (await this.know(parent, ms)).parent
    }
    return root
  }

  /** How the session begins, when this is its first message here; null for a later one. Messages are stored after this hook. */
  async sourceAtFirst(id: string, ms: number): Promise<Source | null> {
    if (this.#started.has(id)) return null
    remember(this.#started, id, true, MAX_SESSIONS)
    const isNew = this.#created.has(id)
    const answer = await within(this.#client.session.messages({ path: { id }, query: { limit: 1 } }), ms)
    const hasPast = answer?.data === undefined ? !isNew : answer.data.length > 0
    return hasPast ? (isNew ? 'fork' : 'resume') : 'startup'
  }
}

function knownFrom({ parentID, agent, version }: SessionInfo): KnownSession {
  return { parent: parentID ?? null, agent: agent ?? null, version: version ?? null }
}
