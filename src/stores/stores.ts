/** What the stores give: entries as saved on disk at this instant, compiled, with their problems. */
import type { Entry } from '../core/entry.ts'
import type { Problem } from '../core/problem.ts'
import type { Matcher } from '../match/match.ts'

export interface StoreView {
  /** Grows with every change. */
  readonly version: number
  readonly entries: readonly Entry[]
  readonly matcher: Matcher
  readonly problems: readonly Problem[]
  /** Name and folder of each store in force. */
  readonly stores: readonly { readonly name: string; readonly folder: string; readonly entries: number }[]
}

export interface Stores {
  /**
   * Never throws, never waits: an edit that was saved before this call counts. `projectRoot` may bring a store of its own.
   *
   * In a store of more than 25 files that rests on what the kernel told, so let the event loop turn once (`setImmediate`) between
   * the end of a request's body and this call: on a busy server the loop may hand over a request before an older file event.
   */
  current(projectRoot?: string): StoreView
  close(): void
}
