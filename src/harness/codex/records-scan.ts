/**
 * One pass over a Codex rollout file: lines in, facts out.
 *
 * A text is proven when it stands in the history with a number, and something that the model wrote later names that number or a higher
 * one as what its request held. Needs no file and keeps what it saw.
 */
import type { ClaimFact, Fact, MissedFact } from '../../core/fact.ts'
import type { ClaimId } from '../../core/id.ts'
import type { Watch, WatchedClaim } from '../../core/watch.ts'
import type { Scan } from '../../harness.ts'
import { Answers, type Sent } from './records-answers.ts'
import { parseLine, type Line } from './records-line.ts'
import { PlacedTexts } from './records-placed.ts'
import { Reads, type ReadsIn } from './records-reads.ts'
import { remember } from './remember.ts'

/** Outputs and finished calls that are remembered, newest last; a claim's call is among the last ones. */
const MAX_CALLS = 2_000
/** Compactions that are remembered. */
const MAX_MARKS = 256

/** Where a fork comes from: a thread, and the first line of its file that the fork does not replay. */
export interface Origin {
  readonly thread: string
  readonly before: number
}

export class RolloutScan implements Scan {
  readonly #placed = new PlacedTexts()
  readonly #answers = new Answers()
  readonly #reads: Reads
  /** By call: its output. */
  readonly #outputs = new Map<string, Sent>()
  /** Calls that ran; true once it was told that one ran although it was denied. */
  readonly #ran = new Map<string, boolean>()
  readonly #compactions: string[] = []
  /** Something that the model wrote, or a compaction, was seen. */
  #hasPast = false
  #origin: Origin | null = null
  /** Claims that stand in what the fork replays. */
  #replayed: readonly ClaimId[] = []

  constructor(readsIn: ReadsIn) {
    this.#reads = new Reads(readsIn)
  }

  take(text: string, watch: Watch): void {
    const line = parseLine(text)
    if (line === null) return
    switch (line.kind) {
      case 'reply':
        this.#hasPast = true
        return this.#answers.answer(line.through)
      case 'context':
        return this.#placed.context(line.texts, this.#answers.put(line.item))
      case 'output':
        return this.#output(line, watch)
      case 'ran':
        remember(this.#ran, line.call, this.#ran.get(line.call) ?? false, MAX_CALLS)
        return this.#reads.ran(line)
      case 'compacted':
        return this.#compacted(line)
      case 'forked':
        // once what it replays is known there is nothing more to look for
        this.#origin = { thread: line.from, before: line.before }
        return
      default:
        return line satisfies never
    }
  }

  /** Where this conversation comes from, until it is known what it replays of it; null: from nowhere. */
  get origin(): Origin | null {
    return this.#origin
  }

  /** Tells what the fork replays; null: what that was is not known. */
  replays(before: RolloutScan | null): void {
    this.#origin = null
    if (before === null) return
    this.#hasPast = true
    if (this.#compactions.length === 0) this.#replayed = before.held()
  }

  /** Claims whose whole text the next request of this conversation holds. */
  held(): readonly ClaimId[] {
    return [...this.#replayed, ...this.#placed.standing()]
  }

  facts(watch: Watch): readonly Fact[] {
    return [
      ...this.#compactions.map((mark): Fact => ({ kind: 'compacted', mark })),
      ...watch.claims.flatMap((claim) => this.#claim(claim) ?? []),
      ...this.#reads.facts(watch.files),
      // what a conversation replays has a reply in it
      ...(watch.wantsHeld && this.#hasPast ? [{ kind: 'held', claims: this.held() } as const] : []),
      ...watch.claims.flatMap((claim) => this.#ranAlthoughDenied(claim) ?? []),
    ]
  }

  #output(line: Extract<Line, { kind: 'output' }>, watch: Watch): void {
    const sent = this.#answers.put(line.item)
    remember(this.#outputs, line.call, sent, MAX_CALLS)
    this.#placed.output(line.call, line.texts, sent)
    this.#reads.output(line, sent, watch.files)
  }

  #compacted({ mark, kept }: Extract<Line, { kind: 'compacted' }>): void {
    this.#hasPast = true
    if (!this.#compactions.includes(mark)) this.#compactions.push(mark)
    if (this.#compactions.length > MAX_MARKS) this.#compactions.shift()
    const still = new Set(kept)
    this.#replayed = []
    this.#answers.compacted(still)
    this.#placed.compacted(still)
    this.#reads.compacted()
  }

  /** Null: nothing can be said yet. */
  #claim({ id: claim, form, textHash, place }: WatchedClaim): ClaimFact | null {
    // a stub has no text of its own
    if (form === 'stub') return null
    const fact = (found: ClaimFact['found'], answered: boolean): ClaimFact => ({ kind: 'claim', claim, found, answered })
    const there = this.#placed.at(claim, place)
    const whole = there.filter(({ hash }) => hash === textHash)
    if (whole.length > 0)
      return fact(
        'whole',
        whole.some(({ sent }) => sent.answered),
      )
    const first = there[0]
    if (first !== undefined) return fact('cut', first.sent.answered)
    // Only the output of a call tells that its place is finished: all that hooks put beside a call stands before it. The calls of a
    // script have no output of their own, so nothing is said of a text that is missing there.
    const output = place.call === null ? undefined : this.#outputs.get(place.call)
    if (output === undefined || !output.answered) return null
    return fact(place.way === 'reason' ? 'replaced' : 'absent', true)
  }

  #ranAlthoughDenied({ role, place: { call } }: WatchedClaim): MissedFact | null {
    if (call === null || role === 'plain' || this.#ran.get(call) !== false) return null
    remember(this.#ran, call, true, MAX_CALLS)
    return { kind: 'missed', cause: 'ran-although-denied', call }
  }
}
