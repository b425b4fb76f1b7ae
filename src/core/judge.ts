/**
 * Judgement: facts from the records turn open claims into verdicts, lift gates, end epochs (laws 9 to 13).
 *
 * A claim is judged once, on what the model was sent and answered, and a judgement reaches only the claim's own epoch.
 */
import { refund } from './budget.ts'
import { isOutdated, type Claim } from './claim.ts'
import type { ContextState, Known } from './context.ts'
import { compact, endEpoch } from './epoch.ts'
import type { ClaimFact, Fact } from './fact.ts'
import { addWave, withGate } from './gate.ts'
import type { CallId, ClaimId, EntryId, Millis, TextHash } from './id.ts'
import { applyRead, type Observation } from './observe.ts'
import type { Lift, Verdict } from './outcome.ts'
import type { ClaimRow, GateRow } from './row.ts'

/** Looks that came after a later answer of the model and found nothing, before a claim is given up. */
export const FAILED_LOOKS = 5
/** And at least this long: records are written late. */
export const UNVERIFIED_AFTER_MS = 10_000

export interface Look {
  readonly facts: readonly Fact[]
  /** `answeredSeq` of the context when the look began, if it read all that was there; null if it did not get to the end. */
  readonly answeredSeq: number | null
  readonly now: Millis
  readonly gatesOf: Observation['gatesOf']
  /** Claims that were made elsewhere: before a fork, in an earlier epoch. */
  readonly claimed: readonly Claimed[]
}

/** What a mark in a conversation stands for. */
export interface Claimed {
  readonly claim: ClaimId
  readonly entry: EntryId
  readonly entryHash: TextHash
  readonly form: Claim['form']
}

export interface Judged {
  readonly context: ContextState
  readonly claims: readonly ClaimRow[]
  readonly gates: readonly GateRow[]
}

export function judge(before: ContextState, look: Look): Judged {
  const bench = new Bench(before, look.now)
  // a compaction ends the epoch before anything of the new one is judged
  for (const fact of look.facts) if (fact.kind === 'compacted') bench.compacted(fact.mark)
  for (const fact of look.facts) {
    if ((fact.kind === 'claim' && fact.byHost !== true) || fact.kind === 'held') bench.haveRecords()
    if (fact.kind === 'claim') bench.claim(fact)
    if (fact.kind === 'called') bench.called(fact.calls)
    if (fact.kind === 'read') bench.read(fact.path, look.gatesOf)
    if (fact.kind === 'held') bench.held(fact.claims, look.claimed)
    if (fact.kind === 'gone') bench.gone(fact.claims)
    if (fact.kind === 'no-records') bench.noRecords(fact.hopeless ?? null, fact.answeredSeq ?? Infinity)
  }
  if (look.answeredSeq !== null) bench.countFailed(look.answeredSeq)
  return { context: bench.context, claims: bench.claims, gates: bench.gates }
}

class Bench {
  context: ContextState
  readonly claims: ClaimRow[] = []
  readonly gates: GateRow[] = []
  readonly #now: Millis

  constructor(context: ContextState, now: Millis) {
    this.context = context
    this.#now = now
  }

  compacted(mark: string): void {
    // what an unknown resume replays had its compactions before we knew it
    const before = this.context.compactions
    if (this.context.unscanned) {
      if (!before.marks.includes(mark))
        this.context = { ...this.context, compactions: { ...before, marks: [...before.marks, mark].slice(-32) } }
      return
    }
    const epoch = this.context.epoch
    const ended = compact(this.context, { mark }, this.#now)
    this.context = ended.context
    this.gates.push(...ended.gates)
    // told by the records alone: nobody has served the pack
    if (this.context.epoch > epoch) this.context = { ...this.context, owed: 'compact' }
  }

  claim(fact: ClaimFact): void {
    const claim = this.context.claims.find((open) => open.id === fact.claim)
    if (claim === undefined || claim.state !== 'settled' || !fact.answered) return
    const why = fact.contradicted === true ? 'host_contradicts' : null
    switch (fact.found) {
      case 'whole':
        return this.#shown(claim, why)
      case 'cut':
        return this.#verdict(claim, 'cut', why, { by: 'cut' })
      case 'replaced':
      case 'absent':
        this.#verdict(claim, 'hidden', why ?? fact.found, null)
        this.context = refund(this.context, claim)
        // it counts as not served: there is nothing to obey
        this.context = { ...this.context, occasions: this.context.occasions.filter((one) => one.claim !== claim.id) }
        return
      default:
        return fact.found satisfies never
    }
  }

  #shown(claim: Claim, why: string | null): void {
    this.#verdict(claim, 'shown', why, { by: claim.form === 'text' ? 'shown' : 'pointer' })
    if (claim.epoch !== this.context.epoch) return
    // the model has written something after a request that held the text: the reply that made the claim's wave is over
    if (claim.wave === this.context.wave.number) this.context = { ...this.context, wave: { ...this.context.wave, over: true } }
    if (claim.role === 'hold') this.#liftAfter(claim)
  }

  #liftAfter(claim: Claim): void {
    const kept = this.context.gates[claim.entry]
    if (kept === undefined || kept.hash !== claim.entryHash || kept.lifted !== null) return
    const shownWaves = addWave(kept.shownWaves, claim.wave)
    this.#gate(claim.entry, { ...kept, shownWaves, lifted: claim.form === 'text' ? 'shown' : null })
  }

  #gate(entry: EntryId, gate: Parameters<typeof withGate>[2]): void {
    const before = this.context.gates[entry]?.lifted ?? null
    this.context = withGate(this.context, entry, gate)
    const after: Lift | null = this.context.gates[entry]?.lifted ?? null
    if (after !== null && before === null) this.gates.push({ context: this.context.id, entry, lift: after, at: this.#now })
  }

  read(path: string, gatesOf: Observation['gatesOf']): void {
    const after = applyRead(this.context, path, gatesOf, this.#now)
    this.context = after.context
    this.gates.push(...after.gates)
  }

  /** The reply that made a call, with all its calls: if none of the wave's denied calls is among them, it is another wave. */
  called(calls: readonly CallId[]): void {
    const { wave, seq } = this.context
    if (wave.over || wave.calls.length === 0 || wave.calls.some((call) => calls.includes(call))) return
    this.context = { ...this.context, wave: { ...wave, over: true }, answeredSeq: seq }
  }

  /** What the latest request still holds is known. */
  held(marks: readonly ClaimId[], claimed: Look['claimed']): void {
    const byMark = new Map(claimed.map((row) => [row.claim, row]))
    const known = { ...this.context.known }
    for (const mark of marks) {
      const row = byMark.get(mark)
      if (row === undefined) continue
      const by = row.form === 'text' ? 'shown' : 'pointer'
      const kept = known[row.entry]
      // the text stands beside the pointer to it
      const isMore = kept?.by === 'pointer' && by === 'shown' && kept.hash === row.entryHash
      if (kept !== undefined && !isMore) continue
      known[row.entry] = { hash: row.entryHash, by, claim: mark, run: null, seq: this.context.seq }
    }
    this.context = { ...this.context, known, unscanned: false }
  }

  /** A rewind or a rollback ends the epoch, unless nothing that counted is gone. */
  gone(marks: readonly ClaimId[]): void {
    const lost = new Set<string>(marks)
    const kept: Record<EntryId, Known> = {}
    let isLost = false
    for (const [entry, known] of Object.entries(this.context.known)) {
      if (known.claim !== null && lost.has(known.claim)) isLost = true
      else kept[entry as EntryId] = known // keys of a record lose their brand
    }
    if (!isLost) return
    const ended = endEpoch(this.context, this.#now, kept)
    this.context = ended.context
    this.gates.push(...ended.gates)
  }

  /** They were missing before, and are there now. */
  haveRecords(): void {
    if (this.context.noRecords) this.context = { ...this.context, noRecords: false }
  }

  /** Claims of before `answeredSeq`; of a later one the wave is not over: its gate holds the other calls of it (law 6). */
  noRecords(hopeless: readonly ClaimId[] | null, answeredSeq: number): void {
    this.context = { ...this.context, noRecords: true, unscanned: false }
    const { wave } = this.context
    const given = new Set<EntryId>()
    for (const claim of this.context.claims) {
      const mayBeProven = claim.byHost === true && hopeless?.includes(claim.id) === false
      if (claim.state !== 'settled' || mayBeProven || claim.seq >= answeredSeq) continue
      given.add(claim.entry)
      this.#verdict(claim, 'unverified', 'no-records', { by: 'unverified' })
    }
    for (const [name, gate] of Object.entries(this.context.gates)) {
      const entry = name as EntryId // keys of a record lose their brand
      const isHopeless = hopeless === null || given.has(entry)
      const isHeldBefore = gate.heldWaves.some((number) => answeredSeq === Infinity || wave.over || number < wave.number)
      if (gate.lifted === null && isHeldBefore && isHopeless) this.#gate(entry, { ...gate, lifted: 'assumed' })
    }
  }

  countFailed(answeredSeq: number): void {
    for (const claim of this.context.claims) {
      if (claim.state !== 'settled' || claim.seq >= answeredSeq) continue
      const failedLooks = claim.failedLooks + 1
      if (failedLooks >= FAILED_LOOKS && this.#now - claim.at >= UNVERIFIED_AFTER_MS) {
        this.#verdict(claim, 'unverified', 'expired', { by: 'unverified' })
        continue
      }
      this.context = {
        ...this.context,
        claims: this.context.claims.map((open) => (open.id === claim.id ? { ...open, failedLooks } : open)),
      }
    }
  }

  /** Closes a claim. What is known changes only in the claim's own epoch. */
  #verdict(claim: Claim, verdict: Verdict, why: string | null, known: Pick<Known, 'by'> | null): void {
    this.claims.push({ claim: claim.id, verdict, why, at: this.#now })
    this.context = { ...this.context, claims: this.context.claims.filter((open) => open.id !== claim.id) }
    if (known === null || claim.epoch !== this.context.epoch) return
    const before = this.context.known[claim.entry]
    if (isOutdated(claim, before)) return
    // a text once shown is not made less by a pointer that came after it
    if (before?.by === 'shown' && before.hash === claim.entryHash && known.by !== 'shown') return
    const { id, entry, entryHash: hash, run, seq } = claim
    this.context = { ...this.context, known: { ...this.context.known, [entry]: { hash, by: known.by, claim: id, run, seq } } }
  }
}
