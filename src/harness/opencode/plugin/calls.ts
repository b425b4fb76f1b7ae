/** What the plugin remembers of calls, replies and loaded files of a session. */
import { remember } from './bounded.ts'

/** Calls that can still end; the oldest are forgotten. */
const MAX_CALLS = 2_000
const MAX_SESSIONS = 1_000

export class Calls {
  /** Message that each call stands in: told before the call's hook. */
  readonly #messages = new Map<string, string>()
  readonly #began = new Map<string, true>()
  readonly #denied = new Map<string, true>()
  readonly #batches = new Map<string, string>()
  readonly #loaded = new Map<string, ReadonlySet<string>>()
  readonly #compacted = new Map<string, true>()
  /** Messages that are the summary of a compaction. */
  readonly #summaries = new Map<string, true>()

  inMessage(session: string, call: string, message: string): void {
    remember(this.#messages, `${session}/${call}`, message, MAX_CALLS)
  }

  messageOf(session: string, call: string): string | null {
    return this.#messages.get(`${session}/${call}`) ?? null
  }

  began(session: string, call: string): void {
    remember(this.#began, `${session}/${call}`, true, MAX_CALLS)
  }

  denied(session: string, call: string): void {
    remember(this.#denied, `${session}/${call}`, true, MAX_CALLS)
  }

  /** Denied by us, or by another plugin that was asked before us: then its hook never came here (M7). */
  wasDenied(session: string, call: string): boolean {
    const key = `${session}/${call}`
    return this.#denied.has(key) || !this.#began.has(key)
  }

  /** True the first time that the calls of this reply are told to be done. */
  isNewBatch(session: string, message: string): boolean {
    if (this.#batches.get(session) === message) return false
    remember(this.#batches, session, message, MAX_SESSIONS)
    return true
  }

  /** Rule files that the program names in its instructions, those that were not told in this epoch. */
  newlyLoaded(session: string, system: readonly string[]): readonly string[] {
    const told = this.#loaded.get(session) ?? new Set()
    const paths = system.flatMap((text) => [...text.matchAll(/^Instructions from: (\/.+)$/gm)].map(([, path = '']) => path.trim()))
    const fresh = [...new Set(paths)].filter((path) => !told.has(path))
    if (fresh.length > 0) remember(this.#loaded, session, new Set([...told, ...fresh]), MAX_SESSIONS)
    return fresh
  }

  /** An automatic compaction, told before the bus tells of it. */
  compacted(session: string): void {
    remember(this.#compacted, session, true, MAX_SESSIONS)
    this.#loaded.delete(session)
  }

  /** True if the compaction that the bus tells of was told already. */
  wasCompactionTold(session: string): boolean {
    this.#loaded.delete(session)
    return this.#compacted.delete(session)
  }

  summary(message: string): void {
    remember(this.#summaries, message, true, MAX_SESSIONS)
  }

  isSummary(message: string): boolean {
    return this.#summaries.has(message)
  }
}
