/** Joins moments to what one or several databases of T3 Code know, beside their servers or inside one. */
import type { ContextId, RunId } from '../../core/id.ts'
import type { Moment } from '../../core/moment.ts'
import type { Problem } from '../../core/problem.ts'
import type { Host, HostLook, HostStatus, HostTold, Joined, ThreadState } from '../../host.ts'
import { hostFacts } from './facts.ts'
import { joinedThread, onLastRun, standalone, verdictOf, type Verdict } from './joining.ts'
import type { T3Source } from './source.ts'
import { DRIVERS } from './tables.ts'

export interface T3HostOptions {
  /** The databases, as they are found now. The same objects as long as they stay. */
  readonly sources: () => readonly T3Source[]
  /** Sessions that no host has ever recorded are served. */
  readonly servesOthers: () => boolean
  /** What is wrong with finding them. */
  readonly problems?: () => readonly Problem[]
  readonly close?: () => void
}

/** Sessions whose thread is remembered between moments. */
const MOST_REMEMBERED = 1_000

interface Remembered {
  readonly source: T3Source
  readonly thread: string
}

export class T3Host implements Host {
  readonly kind = 't3code'
  readonly #options: T3HostOptions
  readonly #joined = new Map<string, Remembered>()
  #found: readonly T3Source[] = []
  #loading: Promise<void> | null = null
  #isClosed = false

  constructor(options: T3HostOptions) {
    this.#options = options
    this.#load(this.#sources())
  }

  join(moment: Moment, before: ThreadState | null, parent?: ThreadState | null): Joined {
    const sources = this.#sources()
    const said = sources.map((source) => ({ source, located: source.locate(moment.session, DRIVERS[moment.harness]) }))
    this.#load(sources)
    const verdict = verdictOf(said)
    const joined = this.#joinedBy(verdict, moment, before, sources, parent)
    const rolledBack = this.rolledBack(moment)
    if (rolledBack.size === 0) return joined
    // a run that was taken back goes on no more, whatever its attempt says: else each moment would end the epoch anew
    const isGone = 'run' in joined.joining && rolledBack.has(joined.joining.run)
    return isGone ? { joining: { state: 'unjoined' }, thread: before, rolledBack } : { ...joined, rolledBack }
  }

  #joinedBy(
    verdict: Verdict,
    moment: Moment,
    before: ThreadState | null,
    sources: readonly T3Source[],
    parent?: ThreadState | null,
  ): Joined {
    const wasJoined = before?.attempt !== undefined
    switch (verdict.state) {
      case 'joined': {
        const thread = joinedThread(moment, before, verdict.attempt)
        this.#remember(moment.session, { source: verdict.source, thread: verdict.attempt.thread })
        return { joining: { state: 'joined', thread: thread.thread, run: thread.run, attempt: verdict.attempt.attempt }, thread }
      }
      case 'ambiguous':
        return { joining: { state: 'ambiguous' }, thread: before }
      case 'unmapped':
        return { joining: { state: 'unmapped' }, thread: before }
      case 'known': {
        const isInGap = wasJoined && sources.some((source) => isBetween(source, before))
        return isInGap ? onLastRun(before) : { joining: { state: 'unjoined' }, thread: before }
      }
      case 'failing':
        if (wasJoined) return onLastRun(before)
        return this.#options.servesOthers() ? standalone(moment, before, parent) : { joining: { state: 'unmapped' }, thread: before }
      case 'unknown':
        // a host that was joined and is unmapped now was updated while we ran
        if (wasJoined && sources.some((source) => source.ask((known) => known.shape().state === 'unmapped', false)))
          return { joining: { state: 'unmapped' }, thread: before }
        return this.#options.servesOthers() ? standalone(moment, before, parent) : { joining: { state: 'unjoined' }, thread: before }
      default:
        return verdict satisfies never
    }
  }

  rolledBack({ session, agent }: Moment): ReadonlySet<RunId> {
    const known = this.#remembered(session)
    // a subagent of a run that was taken back is gone with it
    if (known === undefined || agent !== null) return NO_RUNS
    const runs = known.source.ask((database) => database.rolledBack(known.thread), [])
    // the host's own ids
    return runs.length === 0 ? NO_RUNS : new Set(runs as RunId[])
  }

  canTell(context: ContextId): boolean {
    const [harness, session] = context.split('/')
    return session !== undefined && (harness === 'claude-code' || harness === 'grok') && this.#remembered(session) !== undefined
  }

  look(look: HostLook): HostTold {
    const known = this.#remembered(look.session)
    if (known === undefined || look.harness === 'opencode') return NOTHING_TOLD
    return known.source.ask((database) => hostFacts(database, known.thread, look), NOTHING_TOLD)
  }

  problems(): readonly Problem[] {
    return [...(this.#options.problems?.() ?? []), ...this.#sources().flatMap((source) => source.problems())]
  }

  status(): readonly HostStatus[] {
    return this.#sources().map((source) => source.status())
  }

  async drain(): Promise<void> {
    await this.#loading
  }

  close(): void {
    this.#isClosed = true
    this.#options.close?.()
  }

  /** As they are found now. What is remembered of one that went is forgotten: asked again, it would open its file anew for good. */
  #sources(): readonly T3Source[] {
    const sources = this.#options.sources()
    const isSame = sources.length === this.#found.length && sources.every((source, at) => source === this.#found[at])
    if (isSame) return sources
    this.#found = sources
    for (const [session, { source }] of this.#joined) if (!sources.includes(source)) this.#joined.delete(session)
    return sources
  }

  #remembered(session: string): Remembered | undefined {
    const known = this.#joined.get(session)
    // looking may find that it went
    return known === undefined || !this.#sources().includes(known.source) ? undefined : known
  }

  #remember(session: string, known: Remembered): void {
    this.#joined.delete(session)
    this.#joined.set(session, known)
    const oldest = this.#joined.keys().next().value
    if (this.#joined.size > MOST_REMEMBERED && oldest !== undefined) this.#joined.delete(oldest)
  }

  /** Loads what is not yet loaded, a slice a turn of the event loop. */
  #load(sources: readonly T3Source[]): void {
    if (this.#loading !== null || this.#isClosed || sources.every((source) => source.isLoaded)) return
    this.#loading = this.#loadAll().finally(() => {
      this.#loading = null
    })
  }

  async #loadAll(): Promise<void> {
    do {
      await new Promise((resolve) => setImmediate(resolve))
    } while (!this.#isClosed && this.#sources().some((source) => source.load()))
  }
}

/** A host that crashed starts no successor. */
function isBetween(source: T3Source, { run, thread }: ThreadState): boolean {
  return !source.hasCrashed() && source.ask((known) => known.isBetween(run, thread), false)
}

const NO_RUNS: ReadonlySet<RunId> = new Set()
const NOTHING_TOLD: HostTold = { facts: [], known: [] }
