/** Where the texts of our claims stand in the session file: beside a moment, or as the reason in a denied call's result. */
import type { Place } from '../../core/claim.ts'
import type { ClaimId } from '../../core/id.ts'
import { deliveryMarkOf } from '../../core/mark.ts'
import type { Line, RecordedResult } from './records-line.ts'
import { marksIn, type StandingMark } from './records-mark.ts'
import { remember } from './records-sent.ts'

/** Claims that are remembered, newest last; an open one is much younger. */
const MAX_CLAIMS = 5_000
/** What stands in the place of a text that was longer than one hook may inject. */
const SPILLED = '<persisted-output>'
/** Events whose context names its call. The others have an id of the hook's there. */
const OF_A_CALL: ReadonlySet<string> = new Set(['PreToolUse', 'PostToolUse', 'PostToolUseFailure'])

export interface Placed {
  readonly way: Place['way']
  readonly event: string
  readonly call: string
  /** Hashes that the text may have had; none: it was cut. */
  readonly hashes: readonly string[]
  /** Number of its line. */
  readonly at: number
  readonly uuid: string
}

export class PlacedTexts {
  readonly #byClaim = new Map<ClaimId, readonly Placed[]>()
  /** By delivery: a preview of its text, with a path instead of the rest. */
  readonly #spilled = new Map<string, Placed>()
  /** Claims whose whole text was injected into the conversation as it is since the last compaction. */
  readonly #standing = new Map<ClaimId, Placed>()

  context(line: Extract<Line, { kind: 'context' }>, at: number): void {
    const { event, call, uuid } = line
    for (const text of line.texts) {
      for (const mark of marksIn(text, null)) {
        const placed: Placed = { way: 'context', event, call, hashes: mark.hashes, at, uuid }
        this.#add(mark.claim, placed)
        if (text.includes(SPILLED)) remember(this.#spilled, deliveryMarkOf(mark.claim), { ...placed, hashes: [] }, MAX_CLAIMS)
      }
    }
  }

  /** The reason of a deny. Returns its marks, as they stand in the message to the model. */
  deny(result: RecordedResult, uuid: string, at: number): readonly StandingMark[] {
    const marks = marksIn(result.text, result.call)
    for (const { claim, hashes } of marks) this.#add(claim, { way: 'reason', event: 'PreToolUse', call: result.call, hashes, at, uuid })
    return marks
  }

  /** What stands at the place where a claim's text was put, and nowhere else (law 10). */
  at(claim: ClaimId, place: Place): readonly Placed[] {
    const there = (this.#byClaim.get(claim) ?? []).filter((placed) => isAt(placed, place))
    if (there.length > 0) return there
    const spilled = this.#spilled.get(deliveryMarkOf(claim))
    return spilled !== undefined && isAt(spilled, place) ? [spilled] : []
  }

  /** Only what the compaction preserved is still in the conversation. */
  compacted(preserved: readonly string[]): void {
    const kept = new Set(preserved)
    for (const [claim, placed] of this.#standing) if (!kept.has(placed.uuid)) this.#standing.delete(claim)
  }

  isPlaced(claim: ClaimId): boolean {
    return this.#byClaim.has(claim)
  }

  /** Claims whose whole text was injected and still stands, with the number of its line. */
  standing(): readonly { readonly claim: ClaimId; readonly at: number }[] {
    return [...this.#standing].map(([claim, { at }]) => ({ claim, at }))
  }

  #add(claim: ClaimId, placed: Placed): void {
    remember(this.#byClaim, claim, [...(this.#byClaim.get(claim) ?? []), placed].slice(-MAX_COPIES), MAX_CLAIMS)
    if (placed.hashes.length > 0) remember(this.#standing, claim, placed, MAX_CLAIMS)
  }
}

/** Copies of one text at several places: a resumed session adds one each time. */
const MAX_COPIES = 16

function isAt(placed: Placed, place: Place): boolean {
  if (placed.way !== place.way || placed.event !== place.event) return false
  return !OF_A_CALL.has(place.event) || placed.call === place.call
}
