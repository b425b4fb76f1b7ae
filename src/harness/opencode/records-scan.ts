/**
 * One pass over the log of an OpenCode session: rows in, facts out. Opens nothing itself.
 *
 * A step of the model is a message of its own, whose row is written before the conversation is read for its request, and whose first
 * part only when the answer begins. So a text was sent and answered when such a message was made after it, and has begun.
 */
import type { ClaimFact, Fact, MissedFact } from '../../core/fact.ts'
import { id, type CallId } from '../../core/id.ts'
import type { Watch, WatchedClaim } from '../../core/watch.ts'
import type { Scan } from '../../harness.ts'
import type { ReadsIn } from '../claude-code/records-reads.ts'
import { remember } from '../claude-code/records-sent.ts'
import { PlacedTexts, type Placed } from './records-placed.ts'
import { Reads } from './records-reads.ts'
import { parseRow, type Row } from './records-row.ts'

/** Messages and calls that are remembered, newest last. */
const MAX_MESSAGES = 20_000
const MAX_CALLS = 5_000
/** Compactions that are remembered. */
const MAX_MARKS = 256

interface Message {
  readonly role: 'user' | 'assistant'
  readonly isSummary: boolean
  readonly cwd: string
  /** Number of its first row. */
  readonly at: number
}

interface Result {
  readonly state: 'completed' | 'error'
  readonly at: number
}

export class SessionScan implements Scan {
  readonly #placed = new PlacedTexts()
  readonly #reads: Reads
  readonly #messages = new Map<string, Message>()
  readonly #results = new Map<string, Result>()
  readonly #compactions: string[] = []
  readonly #ranTold = new Map<string, true>()
  /** The first message that the announced compaction will keep. */
  #tail: string | null = null
  #compactedAt = 0
  /** The latest message of the model that has begun, by the number of its first row. */
  #answeredAt = 0
  /** Rows taken. */
  #at = 0

  constructor(readsIn: ReadsIn) {
    this.#reads = new Reads(readsIn)
  }

  take(line: string, watch: Watch): void {
    this.#at += 1
    const row = parseRow(line)
    if (row === null) return
    switch (row.kind) {
      case 'message':
        return this.#message(row)
      case 'answer':
        return this.#answer(row.message)
      case 'added':
        if (this.#messages.get(row.message)?.role !== 'user') return
        return this.#placed.put(row.part, row.text, { way: 'context', call: null, message: row.message, at: this.#at })
      case 'call':
        return this.#call(row, watch)
      case 'compaction':
        this.#tail = row.tail
        return
      case 'removed':
        return this.#placed.removed(row.message, row.part)
      default:
        return row satisfies never
    }
  }

  facts(watch: Watch): readonly Fact[] {
    const gone = this.#placed.gone()
    const hasPast = this.#answeredAt > 0 || this.#compactions.length > 0
    return [
      ...this.#compactions.map((mark): Fact => ({ kind: 'compacted', mark })),
      ...watch.claims.flatMap((claim) => this.#claim(claim) ?? []),
      ...this.#reads.facts(watch.files),
      ...(gone.length === 0 ? [] : [{ kind: 'gone', claims: gone } as const]),
      ...(watch.wantsHeld && hasPast ? [{ kind: 'held', claims: this.#placed.standing() } as const] : []),
      ...watch.claims.flatMap((claim) => this.#ranAlthoughDenied(claim) ?? []),
    ]
  }

  #message({ message, role, isSummary, isComplete, cwd }: Extract<Row, { kind: 'message' }>): void {
    if (!this.#messages.has(message)) remember(this.#messages, message, { role, isSummary, cwd, at: this.#at }, MAX_MESSAGES)
    if (!isSummary || !isComplete || this.#compactions.includes(message)) return
    this.#compactions.push(message)
    if (this.#compactions.length > MAX_MARKS) this.#compactions.shift()
    this.#compactedAt = this.#at
    // a fork's log may name a message of the session that it came from
    const tailAt = this.#tail === null ? undefined : this.#messages.get(this.#tail)?.at
    this.#placed.compacted((other) => tailAt !== undefined && (this.#messages.get(other)?.at ?? 0) >= tailAt)
    this.#reads.compacted()
  }

  #answer(message: string): void {
    const { role, isSummary, at = 0 } = this.#messages.get(message) ?? {}
    if (role !== 'assistant' || isSummary === true || at <= this.#answeredAt) return
    this.#answeredAt = at
    this.#placed.answered(at)
    this.#reads.answered(at)
  }

  #call({ message, part, call }: Extract<Row, { kind: 'call' }>, watch: Watch): void {
    const way = call.state === 'error' ? 'reason' : 'context'
    this.#placed.put(part, call.isBlanked ? '' : call.text, { way, call: call.id, message, at: this.#at })
    if (this.#results.get(call.id)?.state === call.state) return
    remember(this.#results, call.id, { state: call.state, at: this.#at }, MAX_CALLS)
    this.#reads.take({ call, cwd: this.#messages.get(message)?.cwd ?? '/', at: this.#at }, watch.files)
  }

  /** Null: nothing can be said yet. */
  #claim(claim: WatchedClaim): ClaimFact | null {
    // a stub has no text of its own
    if (claim.form === 'stub') return null
    const fact = (found: ClaimFact['found'], answered: boolean): ClaimFact => ({ kind: 'claim', claim: claim.id, found, answered })
    const there = this.#placed.at(claim.id, claim.place)
    const whole = there.filter(({ hash }) => hash === claim.textHash)
    if (whole.length > 0) return fact('whole', whole.some(isAnswered))
    if (there.length > 0) return fact('cut', there.some(isAnswered))
    // only the result of a call tells that its place is finished
    const result = claim.place.call === null ? undefined : this.#results.get(claim.place.call)
    if (result === undefined || result.at <= this.#compactedAt || result.at >= this.#answeredAt) return null
    return fact(claim.place.way === 'reason' ? 'replaced' : 'absent', true)
  }

  #ranAlthoughDenied(claim: WatchedClaim): MissedFact | null {
    const { call } = claim.place
    if (call === null || claim.role === 'plain' || this.#ranTold.has(call)) return null
    if (this.#results.get(call)?.state !== 'completed') return null
    remember(this.#ranTold, call, true, MAX_CALLS)
    return { kind: 'missed', cause: 'ran-although-denied', call: id<CallId>(call) }
  }
}

function isAnswered(placed: Placed): boolean {
  return placed.isAnswered
}
