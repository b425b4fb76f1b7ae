/**
 * Which rows of the log were completed lately, for those who follow it: a verdict or a gate came after the row was written.
 *
 * What completed them is noted when it stands in its table, which costs a moment nothing; the rows are looked up when somebody asks.
 */
import type { ClaimId, ContextId, Millis } from '../../core/id.ts'
import type { ClaimRow } from '../../core/row.ts'
import type { Completed } from '../../state.ts'
import type { StoredStep } from './batch.ts'
import type { Connection } from './connection.ts'

/** More than come between two looks of who follows, who ask some five times a second; each takes 100 bytes. */
const MOST_NOTED = 2_048

type Note =
  | { readonly kind: 'claim'; readonly claim: ClaimId }
  /** Told with the last moment of its context. */
  | { readonly kind: 'gate'; readonly context: ContextId; readonly at: Millis }

export class Completions {
  #notes: Note[] = []
  /** All that were ever noted. */
  #count = 0

  /** `judged`: the claims that got their verdict with this step. Call it after the commit. */
  add({ moment, gates = [] }: StoredStep, judged: readonly ClaimRow[]): void {
    for (const { claim } of judged) this.#note({ kind: 'claim', claim })
    // with a moment they belong to its own row, which is new
    if (moment === undefined) for (const { context, at } of gates) this.#note({ kind: 'gate', context, at })
  }

  /** `from`: as the last answer said; null: from now on, so nothing yet. What is older than the last 2,048 is not told. */
  since({ database }: Pick<Connection, 'database'>, from: number | null): Completed {
    const count = this.#count
    const fresh = Math.min(count - (from ?? count), this.#notes.length)
    if (fresh <= 0) return { moments: [], next: count }
    const ofClaim = database.prepare('SELECT moment FROM candidates WHERE claim = ?')
    const ofGate = database.prepare('SELECT DISTINCT moment FROM gates WHERE context = ? AND at = ? AND moment IS NOT NULL')
    const rows = this.#notes
      .slice(-fresh)
      .flatMap((note) => (note.kind === 'claim' ? ofClaim.all(note.claim) : ofGate.all(note.context, note.at)))
    const moments = new Set(rows.map((row) => Number(row['moment'])))
    return { moments: [...moments].toSorted((a, b) => a - b), next: count }
  }

  #note(note: Note): void {
    this.#count += 1
    this.#notes.push(note)
    if (this.#notes.length >= 2 * MOST_NOTED) this.#notes = this.#notes.slice(-MOST_NOTED)
  }
}
