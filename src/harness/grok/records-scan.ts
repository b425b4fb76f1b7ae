/**
 * One pass over Grok Build's `chat_history.jsonl`: lines in, facts out.
 *
 * Each line is a message as it is sent, in order. So a text was sent when it stands in the file, and answered when a line of the model
 * stands below it. A file that was written anew, by a compaction or a rewind, is a new pass.
 */
import type { ClaimFact, Fact, MissedFact } from '../../core/fact.ts'
import { id, type CallId, type ClaimId } from '../../core/id.ts'
import { MARK_START } from '../../core/mark.ts'
import type { Watch, WatchedClaim } from '../../core/watch.ts'
import type { Scan } from '../../harness.ts'
import { remember } from '../claude-code/records-sent.ts'
import type { ReadsIn } from '../claude-code/records-reads.ts'
import { parseLine, type ContextEvent, type Line, type RecordedCall } from './records-line.ts'
import { marksIn, sha256 } from './records-mark.ts'
import { Reads } from './records-reads.ts'

/** Calls and claims that are remembered, newest last; an open claim is among the last ones. */
const MAX_REMEMBERED = 2_000

/** Lines of no interest, told by how the harness begins them: up to 100 KB, not worth parsing. */
const IDLE = '{"type":"system"'

interface Call {
  readonly call: RecordedCall
  /** All calls of its reply. */
  readonly calls: readonly CallId[]
}

interface Result {
  readonly state: Extract<Line, { kind: 'result' }>['state']
  readonly at: number
}

/** A claim's text where it stands. */
interface Placed {
  readonly event: ContextEvent
  /** The call in whose result it stands as a deny's reason; null: beside. */
  readonly call: string | null
  /** Hashes that the text may have had; none: it was cut. */
  readonly hashes: readonly string[]
  readonly at: number
}

export class HistoryScan implements Scan {
  readonly #reads: Reads
  readonly #cwd: string | null
  readonly #calls = new Map<string, Call>()
  readonly #results = new Map<string, Result>()
  readonly #placed = new Map<ClaimId, readonly Placed[]>()
  readonly #ranTold = new Map<string, true>()
  #compaction: string | null = null
  /** Number of the latest line that the model wrote. */
  #answeredAt = 0
  /** Lines taken. */
  #at = 0

  /** `cwd`: the folder of the session; null: not known. */
  constructor(readsIn: ReadsIn, cwd: string | null) {
    this.#reads = new Reads(readsIn)
    this.#cwd = cwd
  }

  take(text: string, watch: Watch): void {
    this.#at += 1
    if (text.startsWith(IDLE)) return
    const line = parseLine(text)
    if (line === null) return
    switch (line.kind) {
      case 'reply':
        return this.#reply(line)
      case 'result':
        return this.#result(line, watch)
      case 'context':
        return this.#place(line.text, line.event, null)
      case 'compaction':
        // Nothing that stood before it is in the file any more. Two in one file would be two stretches.
        this.#compaction = sha256(line.text).slice(0, 16)
        this.#placed.clear()
        return this.#reads.compacted()
      default:
        return line satisfies never
    }
  }

  facts(watch: Watch): readonly Fact[] {
    const called = watch.call === undefined ? undefined : this.#calls.get(watch.call)
    return [
      ...(this.#compaction === null ? [] : [{ kind: 'compacted', mark: this.#compaction } as const]),
      ...(called === undefined ? [] : [{ kind: 'called', call: id<CallId>(called.call.id), calls: called.calls } as const]),
      ...watch.claims.flatMap((claim) => this.#claim(claim) ?? []),
      ...this.#reads.facts(watch.files, (at) => this.#isAnswered(at)),
      // a file without a reply in it may still be in writing
      ...(watch.wantsHeld && this.#answeredAt > 0 ? [{ kind: 'held', claims: this.#held() } as const] : []),
      ...watch.claims.flatMap((claim) => this.#ranAlthoughDenied(claim) ?? []),
    ]
  }

  #reply(line: Extract<Line, { kind: 'reply' }>): void {
    this.#answeredAt = this.#at
    const calls = line.calls.map((call) => id<CallId>(call.id))
    for (const call of line.calls) {
      // an id that comes again is another call
      this.#results.delete(call.id)
      remember(this.#calls, call.id, { call, calls }, MAX_REMEMBERED)
    }
  }

  #result(line: Extract<Line, { kind: 'result' }>, watch: Watch): void {
    remember(this.#results, line.call, { state: line.state, at: this.#at }, MAX_REMEMBERED)
    if (line.state === 'denied') return this.#place(line.text, 'PreToolUse', line.call)
    const made = this.#calls.get(line.call)
    if (made !== undefined) this.#reads.take(made.call, line.text, this.#cwd, this.#at, watch.files)
  }

  #place(text: string, event: ContextEvent, call: string | null): void {
    if (!text.includes(MARK_START)) return
    for (const { claim, hashes } of marksIn(text)) {
      const placed: Placed = { event, call, hashes, at: this.#at }
      remember(this.#placed, claim, [...(this.#placed.get(claim) ?? []), placed], MAX_REMEMBERED)
    }
  }

  #isAnswered(at: number): boolean {
    return this.#answeredAt > at
  }

  /** Null: nothing can be said yet. */
  #claim(claim: WatchedClaim): ClaimFact | null {
    // a stub has no text of its own
    if (claim.form === 'stub') return null
    const there = (this.#placed.get(claim.id) ?? []).filter((placed) => isAt(placed, claim))
    const fact = (found: ClaimFact['found'], answered: boolean): ClaimFact => ({ kind: 'claim', claim: claim.id, found, answered })
    const whole = there.find((placed) => placed.hashes.includes(claim.textHash))
    if (whole !== undefined) return fact('whole', this.#isAnswered(whole.at))
    const first = there[0]
    if (first !== undefined) return fact('cut', this.#isAnswered(first.at))
    // Only the result of a call tells that its place is finished: what is injected beside it comes before the model's next line.
    const result = claim.place.call === null ? undefined : this.#results.get(claim.place.call)
    if (result === undefined || !this.#isAnswered(result.at)) return null
    return fact(claim.place.way === 'reason' ? 'replaced' : 'absent', true)
  }

  /** What the next request of this conversation will hold, whole. */
  #held(): readonly ClaimId[] {
    return [...this.#placed].flatMap(([claim, placed]) => (placed.some(({ hashes }) => hashes.length > 0) ? [claim] : []))
  }

  #ranAlthoughDenied(claim: WatchedClaim): MissedFact | null {
    const { call } = claim.place
    if (call === null || claim.role === 'plain' || this.#ranTold.has(call)) return null
    if (this.#results.get(call)?.state !== 'ran') return null
    remember(this.#ranTold, call, true, MAX_REMEMBERED)
    return { kind: 'missed', cause: 'ran-although-denied', call }
  }
}

/** A context's message does not name its call; the mark does, and only this delivery's text has it. */
function isAt(placed: Placed, { place }: WatchedClaim): boolean {
  return place.way === 'reason' ? placed.call === place.call : placed.call === null && placed.event === eventOf(place.event)
}

/** Older versions have snake-case names. */
function eventOf(event: string): string {
  return event === 'stop' ? 'Stop' : event
}
