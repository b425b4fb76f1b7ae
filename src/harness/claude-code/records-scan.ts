/**
 * One pass over Claude Code's session file: lines in, facts out.
 *
 * Proof of a text is the record of an answered request that held it. Where that record is missing: the line that holds the text, and
 * a later line that the model wrote in answer to another request than the call's own. Needs no file and keeps what it saw.
 */
import type { ClaimFact, Fact, MissedFact } from '../../core/fact.ts'
import { id, type CallId, type ClaimId } from '../../core/id.ts'
import type { Watch, WatchedClaim } from '../../core/watch.ts'
import type { Scan } from '../../harness.ts'
import { parseLine, type Line, type RecordedCall, type RecordedResult } from './records-line.ts'
import { marksInMessage, mayHoldMark, type StandingMark } from './records-mark.ts'
import { messageHash } from './records-hash.ts'
import { PlacedTexts, type Placed } from './records-placed.ts'
import { Reads, type ReadsIn } from './records-reads.ts'
import { Replies, type OwnRequest } from './records-replies.ts'
import { remember, SentMessages } from './records-sent.ts'

/** Calls and results that are remembered, newest last; a claim's call is among the last ones. */
const MAX_CALLS = 2_000
/** Compactions and missed hooks that are remembered. */
const MAX_MARKS = 256

/** A message of more is not looked for by its hash, which is made anew with each of its lines (1 MB: some 6 ms): its lines prove. */
const MAX_JOINED_CHARACTERS = 1024 * 1024

/** Lines that prove nothing, told by how the harness begins them: up to 110 KB each, not worth parsing. */
const IDLE = ['{"type":"api-request-shape"', '{"type":"queue-operation"', '{"type":"file-history-snapshot"']
const MESSAGE = '{"type":"api-request-blob"'

interface Call {
  readonly call: RecordedCall
  readonly cwd: string
  readonly own: OwnRequest
}

interface Result {
  readonly result: RecordedResult
  readonly at: number
}

export class SessionScan implements Scan {
  readonly #placed = new PlacedTexts()
  readonly #sent = new SentMessages()
  readonly #replies = new Replies()
  readonly #reads: Reads
  readonly #calls = new Map<string, Call>()
  readonly #results = new Map<string, Result>()
  readonly #compactions: string[] = []
  /** What hooks of ours failed to do, not yet told. */
  #missed: MissedFact[] = []
  #hasOtherHooks = false
  /** A line that the model wrote, or a compaction, was seen. */
  #hasPast = false
  readonly #ranTold = new Map<string, true>()
  /** User lines since the model's last line: they are sent as one message. */
  #joined: { blocks: unknown[]; marks: StandingMark[]; characters: number } = { blocks: [], marks: [], characters: 0 }
  /** Lines taken. */
  #at = 0

  constructor(readsIn: ReadsIn) {
    this.#reads = new Reads(readsIn)
  }

  take(text: string, watch: Watch): void {
    this.#at += 1
    if (IDLE.some((start) => text.startsWith(start))) return
    if (text.startsWith(MESSAGE) && !mayHoldMark(text)) return
    const line = parseLine(text)
    if (line === null) return
    switch (line.kind) {
      case 'reply':
        return this.#reply(line)
      case 'user':
        return this.#user(line, watch, text.length)
      case 'context':
        return this.#placed.context(line, this.#at)
      case 'hook-failed':
        // an error that names nobody is ours, unless another hook of that kind is about
        if (line.isNamed || !this.#hasOtherHooks) this.#missed = [...this.#missed, missedBy(line)].slice(-MAX_MARKS)
        return
      case 'other-http-hook':
        this.#hasOtherHooks = true
        return
      case 'boundary':
        return this.#boundary(line)
      case 'request':
        this.#replies.recorded(line.id, this.#at)
        return this.#sent.request(line, this.#at, this.#replies.hasReply(line.id))
      case 'message':
        return this.#sent.learn(line.hash, marksInMessage(line.role, line.content))
      default:
        return line satisfies never
    }
  }

  facts(watch: Watch): readonly Fact[] {
    const claims = watch.claims.flatMap((claim) => this.#claim(claim) ?? [])
    const reads = this.#reads.facts(watch.files, (at, own) => this.#replies.isAnswered(at, own))
    const gone = this.#sent.gone().filter((claim) => this.#placed.isPlaced(claim))
    const missed = [...this.#missed, ...watch.claims.flatMap((claim) => this.#ranAlthoughDenied(claim) ?? [])]
    this.#missed = []
    return [
      ...this.#compactions.map((mark): Fact => ({ kind: 'compacted', mark })),
      ...claims,
      ...reads,
      ...(gone.length === 0 ? [] : [{ kind: 'gone', claims: gone } as const]),
      // the file of a fork appears in pieces (2.1.332, measured): it is whole once the call that is asked for stands in it
      ...(watch.wantsHeld && this.#hasPast && (watch.call === undefined || this.#calls.has(watch.call))
        ? [{ kind: 'held', claims: this.#held() } as const]
        : []),
      ...missed,
    ]
  }

  #reply(line: Extract<Line, { kind: 'reply' }>): void {
    this.#hasPast = true
    this.#joined = { blocks: [], marks: [], characters: 0 }
    const { ref, cwd } = line
    if (ref !== null) {
      this.#replies.replied(ref, this.#at)
      this.#sent.answer(ref)
    }
    for (const call of line.calls) remember(this.#calls, call.id, { call, cwd, own: ref === null ? 'unknown' : { ref } }, MAX_CALLS)
  }

  #user(line: Extract<Line, { kind: 'user' }>, watch: Watch, characters: number): void {
    const joined = this.#joined
    joined.characters += characters
    const isBounded = joined.characters <= MAX_JOINED_CHARACTERS
    if (isBounded) joined.blocks.push(...line.blocks)
    else joined.blocks = []
    for (const result of line.results) {
      if (result.isHookDeny) joined.marks.push(...this.#placed.deny(result, line.uuid, this.#at))
      remember(this.#results, result.call, { result, at: this.#at }, MAX_CALLS)
      const made = this.#calls.get(result.call)
      if (made !== undefined) this.#reads.take({ ...made, result, at: this.#at, time: line.at }, watch.files)
    }
    if (isBounded && joined.marks.length > 0) this.#sent.learn(messageHash('user', joined.blocks), [...joined.marks])
  }

  #boundary(line: Extract<Line, { kind: 'boundary' }>): void {
    this.#hasPast = true
    if (!this.#compactions.includes(line.mark)) this.#compactions.push(line.mark)
    if (this.#compactions.length > MAX_MARKS) this.#compactions.shift()
    this.#joined = { blocks: [], marks: [], characters: 0 }
    this.#placed.compacted(line.preserved)
    this.#sent.compacted()
    this.#reads.compacted()
  }

  /** Null: nothing can be said yet. */
  #claim(claim: WatchedClaim): ClaimFact | null {
    // a stub has no text of its own
    if (claim.form === 'stub') return null
    const there = this.#placed.at(claim.id, claim.place)
    const whole = there.filter((placed) => placed.hashes.includes(claim.textHash))
    const fact = (found: ClaimFact['found'], answered: boolean): ClaimFact => ({ kind: 'claim', claim: claim.id, found, answered })
    if (whole.length > 0) return fact('whole', this.#wasSent(claim, whole))
    const own = this.#ownOf(claim)
    const first = there[0]
    if (first !== undefined) return fact('cut', this.#replies.isAnswered(first.at, own))
    // only the result of a call tells that its place is finished
    const result = claim.place.call === null ? undefined : this.#results.get(claim.place.call)
    if (result === undefined || !this.#replies.isAnswered(result.at, own)) return null
    return fact(claim.place.way === 'reason' ? 'replaced' : 'absent', true)
  }

  #wasSent(claim: WatchedClaim, whole: readonly Placed[]): boolean {
    const { way, call } = claim.place
    if (this.#sent.wasSent(claim.id, claim.textHash, way === 'reason' ? call : null)) return true
    // A result goes out with the next request, whatever message it is joined into. Of injected context the record of a request, where
    // there is one, says whether it held it.
    const counts = way === 'reason' ? () => true : (ref: string) => !this.#sent.knows(ref)
    return whole.some((placed) => this.#replies.isAnswered(placed.at, this.#ownOf(claim), counts))
  }

  #ownOf({ place }: WatchedClaim): OwnRequest {
    return place.call === null ? 'none' : (this.#calls.get(place.call)?.own ?? 'unknown')
  }

  /** What the next request of this conversation will hold. */
  #held(): readonly ClaimId[] {
    const latest = this.#sent.latest()
    const standing = this.#placed.standing()
    if (latest === null) return standing.map(({ claim }) => claim)
    const inLatest = [...latest.claims].filter((claim) => this.#placed.isPlaced(claim))
    // what was injected since, and what is older than all records: a fork's file may have the lines without the messages
    const beside = standing.filter(({ claim, at }) => at > latest.at || !this.#sent.canTell(claim, at))
    return [...new Set([...inLatest, ...beside.map(({ claim }) => claim)])]
  }

  #ranAlthoughDenied(claim: WatchedClaim): MissedFact | null {
    const { call } = claim.place
    if (call === null || claim.role === 'plain' || this.#ranTold.has(call)) return null
    const state = this.#results.get(call)?.result.state
    if (state !== 'ok' && state !== 'failed') return null
    remember(this.#ranTold, call, true, MAX_CALLS)
    return { kind: 'missed', cause: 'ran-although-denied', call }
  }
}

function missedBy({ event, call, cause, at }: Extract<Line, { kind: 'hook-failed' }>): MissedFact {
  const isToolEvent = event.startsWith('PreToolUse') || event.startsWith('PostToolUse')
  return { kind: 'missed', cause, call: isToolEvent ? id<CallId>(call) : null, ...(at === null ? {} : { at }) }
}
