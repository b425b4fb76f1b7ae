/** Where the texts of our claims stand in the rollout file: beside a moment, or as the reason in a denied call's output. */
import type { Place } from '../../core/claim.ts'
import type { ClaimId } from '../../core/id.ts'
import { deliveryMarkOf, findMarks, MARK_START } from '../../core/mark.ts'
import { sha256 } from '../claude-code/records-hash.ts'
import type { Sent } from './records-answers.ts'
import { remember } from './remember.ts'

/** Claims that are remembered, newest last; an open one is much younger. */
const MAX_CLAIMS = 5_000
/** What ends a text that was longer than one hook may inject: head and tail of it, then this. */
const SPILLED = 'Full hook output saved to: '
/** A denied call's output; in code mode the error of a script that did not catch it. A command's own output begins otherwise. */
const DENIED = /^(?:Script error:\n)?(?:Command|Tool call) blocked by PreToolUse hook: /
/** Calls inside a script of the code mode: the ids that hooks are given stand nowhere in the history. */
const NESTED = 'exec-'

export interface Placed {
  readonly way: Place['way']
  /** For a reason: the call in whose output it stands. */
  readonly call: string | null
  /** Of the text between the marks; null: it has no end, it was cut. */
  readonly hash: string | null
  readonly sent: Sent
}

export class PlacedTexts {
  readonly #byClaim = new Map<ClaimId, readonly Placed[]>()
  /** By delivery: a text that was cut in the middle. */
  readonly #spilled = new Map<string, Placed>()
  /** Claims whose whole text was injected and stands since the last compaction. */
  readonly #standing = new Map<ClaimId, Sent>()

  context(texts: readonly string[], sent: Sent): void {
    for (const text of texts) {
      if (!text.includes(MARK_START)) continue
      for (const { claim, text: body } of findMarks(text)) {
        const placed: Placed = { way: 'context', call: null, hash: body === null ? null : sha256(body), sent }
        this.#add(claim, placed)
        if (text.includes(SPILLED)) remember(this.#spilled, deliveryMarkOf(claim), { ...placed, hash: null }, MAX_CLAIMS)
        else if (body !== null) remember(this.#standing, claim, sent, MAX_CLAIMS)
      }
    }
  }

  /** Looks for the reason of a deny; a mark that a command prints proves nothing (G3). */
  output(call: string, texts: readonly string[], sent: Sent): void {
    for (const text of texts) {
      if (!text.includes(MARK_START) || !DENIED.test(text)) continue
      for (const { claim, text: body } of findMarks(text))
        this.#add(claim, { way: 'reason', call, hash: body === null ? null : sha256(body), sent })
    }
  }

  /** What stands at the place where a claim's text was put, and nowhere else (law 10). The claim's mark says which moment it was. */
  at(claim: ClaimId, place: Place): readonly Placed[] {
    const there = (this.#byClaim.get(claim) ?? []).filter((placed) => isAt(placed, place))
    if (there.length > 0) return there
    const spilled = this.#spilled.get(deliveryMarkOf(claim))
    return spilled !== undefined && isAt(spilled, place) ? [spilled] : []
  }

  /** Only what the compaction kept is still in the conversation. */
  compacted(kept: ReadonlySet<string>): void {
    for (const [claim, { item }] of this.#standing) if (!kept.has(item.id)) this.#standing.delete(claim)
  }

  standing(): readonly ClaimId[] {
    return [...this.#standing.keys()]
  }

  #add(claim: ClaimId, placed: Placed): void {
    remember(this.#byClaim, claim, [...(this.#byClaim.get(claim) ?? []), placed].slice(-MAX_COPIES), MAX_CLAIMS)
  }
}

/** Copies of one text. */
const MAX_COPIES = 16

export function isNested(call: string): boolean {
  return call.startsWith(NESTED)
}

function isAt(placed: Placed, { way, call }: Place): boolean {
  if (placed.way !== way) return false
  return way === 'context' || placed.call === call || (call !== null && isNested(call))
}
