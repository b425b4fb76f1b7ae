/**
 * What the model was sent, by the record of its requests.
 *
 * A request is a list of message hashes, written as the difference to an earlier one: `keep` of its messages, then `tail`. Lists
 * share their beginnings here, so that a long session costs one node a message. A base from before the scan counts as so many
 * messages that are not known.
 */
import type { ClaimId } from '../../core/id.ts'
import type { Line } from './records-line.ts'
import type { StandingMark } from './records-mark.ts'

/** Requests that can still be a base or be answered. A base is one of the last few. */
const MAX_REQUESTS = 512
/** Messages with marks of ours. More than a context holds; the oldest are forgotten. */
const MAX_MESSAGES = 5_000

interface Message {
  /** Null: an unknown beginning, as long as `length` says. */
  readonly hash: string | null
  readonly before: Message | null
  /** Messages up to and with this one. */
  readonly length: number
}

interface Request {
  readonly last: Message | null
  /** Line at which it was recorded. */
  readonly at: number
  answered: boolean
}

/** A claim's text in an answered request. */
interface Sent {
  readonly mark: StandingMark
  /** Place of its message in the list, from 1. */
  readonly index: number
}

export class SentMessages {
  readonly #marks = new Map<string, readonly StandingMark[]>()
  readonly #requests = new Map<string, Request>()
  /** Claims that stand in a message whose body is known. */
  readonly #learned = new Map<ClaimId, true>()
  /** By claim: everything that an answered request held of it. */
  readonly #proven = new Map<ClaimId, StandingMark[]>()
  /** Since the last compaction: claims that an answered request held, and how far into it. */
  readonly #held = new Map<ClaimId, number>()
  #latest: Request | null = null
  /** Line of the first record. */
  #firstAt: number | null = null

  /** True if requests can tell whether they hold this claim, injected at this line: they were recorded then, or a message shows it. */
  canTell(claim: ClaimId, at: number): boolean {
    return this.#learned.has(claim) || (this.#firstAt !== null && this.#firstAt < at)
  }

  /** The message with this hash holds these marks. */
  learn(hash: string, marks: readonly StandingMark[]): void {
    if (marks.length > 0) remember(this.#marks, hash, marks, MAX_MESSAGES)
    for (const { claim } of marks) remember(this.#learned, claim, true, MAX_MESSAGES)
  }

  request(line: Extract<Line, { kind: 'request' }>, at: number, isAnswered: boolean): void {
    this.#firstAt ??= at
    const base = line.base === null ? undefined : this.#requests.get(line.base)
    let last = base === undefined ? unknown(line.keep) : cutTo(base.last, line.keep)
    for (const hash of line.tail) last = { hash, before: last, length: (last?.length ?? 0) + 1 }
    remember(this.#requests, line.id, { last, at, answered: false }, MAX_REQUESTS)
    if (isAnswered) this.answer(line.id)
  }

  /** The model wrote something in answer to this request. */
  answer(id: string): void {
    const request = this.#requests.get(id)
    if (request === undefined || request.answered) return
    request.answered = true
    if (this.#latest === null || request.at > this.#latest.at) this.#latest = request
    for (const { mark, index } of this.#in(request)) {
      const proven = this.#proven.get(mark.claim) ?? []
      if (!proven.some((other) => isSame(other, mark))) remember(this.#proven, mark.claim, [...proven, mark], MAX_MESSAGES)
      remember(this.#held, mark.claim, index, MAX_MESSAGES)
    }
  }

  /** True if the record of this request is there. */
  knows(id: string): boolean {
    return this.#requests.has(id)
  }

  /** True if an answered request held the claim's whole text: beside (call null), or as the reason in this call's result. */
  wasSent(claim: ClaimId, textHash: string, call: string | null): boolean {
    return (this.#proven.get(claim) ?? []).some((mark) => mark.call === call && mark.hashes.includes(textHash))
  }

  /** After a compaction nothing is gone that a request before it held. */
  compacted(): void {
    this.#held.clear()
    this.#latest = null
  }

  /** Claims whose whole text stands in the latest answered request, and its line; null if there is none since the last compaction. */
  latest(): { readonly claims: ReadonlySet<ClaimId>; readonly at: number } | null {
    if (this.#latest === null) return null
    const whole = this.#in(this.#latest).filter(({ mark }) => mark.hashes.length > 0)
    return { claims: new Set(whole.map(({ mark }) => mark.claim)), at: this.#latest.at }
  }

  /** Claims that an answered request held and the latest one holds no more. What stands in an unknown beginning is not gone. */
  gone(): readonly ClaimId[] {
    if (this.#latest === null) return []
    const still = new Set(this.#in(this.#latest).map(({ mark }) => mark.claim))
    const unknownUpTo = firstKnownBefore(this.#latest.last)
    return [...this.#held].flatMap(([claim, index]) => (still.has(claim) || index <= unknownUpTo ? [] : [claim]))
  }

  #in(request: Request): readonly Sent[] {
    if (this.#marks.size === 0) return []
    const sent: Sent[] = []
    for (let message = request.last; message !== null; message = message.before) {
      if (message.hash === null) continue
      for (const mark of this.#marks.get(message.hash) ?? []) sent.push({ mark, index: message.length })
    }
    return sent
  }
}

function unknown(length: number): Message | null {
  return length === 0 ? null : { hash: null, before: null, length }
}

function cutTo(last: Message | null, keep: number): Message | null {
  // a base that is shorter than what is kept of it is not the list that was meant
  if ((last?.length ?? 0) < keep) return unknown(keep)
  let message = last
  while (message !== null && message.length > keep) {
    if (message.hash === null) return unknown(keep)
    message = message.before
  }
  return message
}

function firstKnownBefore(last: Message | null): number {
  let message = last
  while (message !== null && message.hash !== null) message = message.before
  return message?.length ?? 0
}

function isSame(a: StandingMark, b: StandingMark): boolean {
  return a.call === b.call && a.hashes.join() === b.hashes.join()
}

/** Sets a value as the newest and forgets the oldest beyond the limit. */
export function remember<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= limit) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
