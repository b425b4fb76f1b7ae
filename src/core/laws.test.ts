/**
 * The laws of delivery over random histories: what must hold after every step, whatever the agent, the harness, its records and
 * the people who edit entries do.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LANE_BYTES } from './budget.ts'
import type { Claim } from './claim.ts'
import { Bed, compactReason, entry, hashOf, lateSeams, profile as fullProfile, textInReason } from './core.fixture.ts'
import type { Decision } from './decide.ts'
import type { Entry } from './entry.ts'
import { HELD_WAVES_CAP } from './gate.ts'
import { id, type RunId } from './id.ts'
import type { Profile } from './profile.ts'
import { bytesOf } from './text.ts'

/** Histories a run; `CONTEXTMD_HISTORIES` asks for more. The seed is printed when one fails. */
const HISTORIES = Number(process.env['CONTEXTMD_HISTORIES'] ?? 2_000)

/** Room for ten thousand histories on a slow machine; nothing is timed. */
const LIMIT_MS = 300_000

const ENTRIES: readonly Entry[] = [
  entry('plain', { text: 'p'.repeat(700) }),
  entry('wide', { text: 'ä'.repeat(3_000) }),
  entry('long', { text: 'l'.repeat(9_600), priority: 2 }),
  entry('always', { repeat: 'always', carryToStop: true, text: 'a'.repeat(300) }),
  entry('inline', { mustKnow: true, text: 'i'.repeat(900) }),
  entry('pointer', { mustKnow: true, read: ['/home/dev/wiki/page.md'], priority: 1 }),
  entry('fat', { mustKnow: true, text: 'f'.repeat(7_000) }),
  entry('never', { forbid: true, text: 'n'.repeat(200) }),
]

/** Text beside a deny; a reason of a few hundred characters; no seam at prompt and start, so that texts are carried. */
const profiles = fc.constantFrom(fullProfile, compactReason, lateSeams)

const some = fc.subarray(ENTRIES.map((_, index) => index))
const step = fc.oneof(
  fc.record({ do: fc.constant('prompt' as const), entries: some }),
  fc.record({ do: fc.constant('call' as const), entries: some }),
  fc.record({ do: fc.constant('after' as const), entries: some, reads: fc.boolean() }),
  fc.record({ do: fc.constant('batch-end' as const) }),
  fc.record({ do: fc.constant('stop' as const) }),
  fc.record({ do: fc.constant('new-run' as const) }),
  fc.record({ do: fc.constant('settle' as const), which: fc.nat(5), outcome: fc.constantFrom('handed' as const, 'dropped' as const) }),
  fc.record({
    do: fc.constant('fact' as const),
    which: fc.nat(9),
    found: fc.constantFrom('whole' as const, 'cut' as const, 'replaced' as const, 'absent' as const),
    answered: fc.boolean(),
  }),
  fc.record({ do: fc.constant('look' as const) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: -5_000, max: 20_000 }) }),
  fc.record({ do: fc.constant('compact' as const), by: fc.constantFrom('moment' as const, 'records' as const) }),
  fc.record({ do: fc.constant('gone' as const) }),
  fc.record({ do: fc.constant('edit' as const), which: fc.nat(ENTRIES.length - 1) }),
)
type Action = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Plays a history and checks the laws after each step. */
class Play {
  readonly bed = new Bed()
  readonly entries = [...ENTRIES]
  readonly decisions: Decision[] = []
  /** The slow, obvious model: every claim that was ever made, whatever became of it. */
  readonly made = new Map<string, Claim>()
  #calls = 0
  #runs = 1

  /** `isToldOfStart`: a context whose start was missed is not known to be empty, and its records' compactions may be old ones. */
  constructor(profile: Profile, isToldOfStart: boolean) {
    this.bed.profile = profile
    this.bed.carried = this.entries
    this.#nameFiles()
    if (isToldOfStart) this.#decided(this.bed.start('startup', this.#pick([0])))
  }

  #nameFiles(): void {
    const pointer = this.entries[5]!
    for (const path of [...pointer.read, pointer.file]) {
      this.bed.file(path, { entry: pointer.id, hash: pointer.hash, targets: pointer.read, own: [pointer.file] })
    }
  }

  #pick(indexes: readonly number[]): Entry[] {
    return indexes.map((index) => this.entries[index]!)
  }

  #decided(decision: Decision): void {
    this.decisions.push(decision)
    for (const claim of this.bed.context.claims) this.made.set(claim.id, claim)
    const { reply } = decision
    const isInside = reply.kind === 'deny' && reply.text === ''
    const text = reply.kind === 'nothing' ? '' : isInside ? textInReason(reply.reason) : reply.text
    expect(text.length).toBeLessThanOrEqual(9_500)
    const { denyReason } = this.bed.profile
    if (reply.kind === 'deny' && denyReason !== undefined) expect(reply.reason.length).toBeLessThanOrEqual(denyReason.max)
    const charged = decision.rows.reduce((sum, row) => sum + row.bytes, 0)
    // law 1: what is charged is what is handed over, our marks included
    expect(Math.abs(charged - bytesOf(text))).toBeLessThanOrEqual(1 + decision.rows.length)
  }

  take(action: Action): void {
    const { bed } = this
    switch (action.do) {
      case 'prompt':
        this.#decided(bed.prompt(this.#pick(action.entries)))
        break
      case 'call':
        this.call(this.#pick(action.entries))
        break
      case 'after':
        this.#decided(bed.after(this.#pick(action.entries), `c${this.#calls}`, action.reads ? ['/home/dev/wiki/page.md'] : []))
        break
      case 'batch-end':
        bed.batchEnd(`c${this.#calls}`)
        break
      case 'stop':
        this.#decided(bed.stop())
        break
      case 'new-run':
        this.#runs += 1
        bed.run = id<RunId>(`run#${this.#runs}`)
        break
      case 'settle': {
        const decision = this.decisions.at(-1 - action.which)
        if (decision !== undefined) bed.settle(decision, action.outcome)
        break
      }
      case 'fact': {
        const claim = bed.context.claims.at(-1 - action.which)
        const lifted = this.#lifted()
        if (claim !== undefined) bed.judge([{ kind: 'claim', claim: claim.id, found: action.found, answered: action.answered }])
        // law 9: without an answer, and of anything but the whole text, nothing lifts
        if (!action.answered || action.found !== 'whole') expect(this.#lifted()).toEqual(lifted)
        break
      }
      case 'look':
        bed.judge([], { answeredSeq: bed.context.answeredSeq })
        break
      case 'wait':
        bed.now += action.ms
        break
      case 'compact':
        if (action.by === 'moment') this.#decided(bed.start('compact', this.#pick([0, 3])))
        else bed.judge([{ kind: 'compacted', mark: `mark${this.decisions.length}` }])
        break
      case 'gone': {
        const known = Object.values(bed.context.known).find((one) => one.claim !== null)
        if (known?.claim != null) bed.judge([{ kind: 'gone', claims: [known.claim] }])
        break
      }
      case 'edit': {
        const old = this.entries[action.which]!
        const text = `${old.text.slice(0, 50)} edited ${this.decisions.length}`
        this.entries[action.which] = entry(old.id, { ...old, text, hash: hashOf(text) })
        this.#nameFiles()
        break
      }
      default:
        action satisfies never
    }
    this.check()
  }

  #lifted(): number {
    return Object.values(this.bed.context.gates).filter((gate) => gate.lifted !== null).length
  }

  call(entries: readonly Entry[]): Decision {
    this.#calls += 1
    const armed = entries.filter(
      (one) =>
        one.mustKnow &&
        (this.bed.context.gates[one.id]?.lifted == null || this.bed.context.gates[one.id]?.hash !== one.hash) &&
        this.bed.context.known[one.id]?.hash !== one.hash &&
        this.bed.context.reads.length === 0,
    )
    const decision = this.bed.before(entries, `c${this.#calls}`)
    this.#decided(decision)
    // law 5: a call that a forbid matches is denied, whatever the budget; one with an armed gate too, unless nothing can be told
    if (entries.some((one) => one.forbid)) expect(decision.reply.kind).toBe('deny')
    else if (armed.length > 0 && decision.reply.kind !== 'deny') {
      for (const one of armed) expect(['let_through', 'lifted']).toContain(decision.rows.find((row) => row.entry === one.id)?.outcome)
    }
    return decision
  }

  check(): void {
    const { context, claimRows } = this.bed
    const words = new Map<string, string[]>()
    for (const row of claimRows) words.set(row.claim, [...(words.get(row.claim) ?? []), row.verdict])
    // each claim is judged or released once
    expect([...words.values()].filter((verdicts) => verdicts.length > 1)).toEqual([])
    // law 1: reserved and settled claims never exceed the lane, and the counter is exactly their sum and what stays charged
    const budget = context.budget
    if (budget !== null) {
      let sum = 0
      for (const claim of this.made.values()) {
        const verdict = words.get(claim.id)?.[0]
        const isRefunded = verdict === 'hidden' || verdict === 'dropped' || verdict === 'delivery_unverified'
        if (claim.run === budget.run && claim.epoch === budget.epoch && !isRefunded) sum += claim.bytes
      }
      expect(budget.rules).toBe(sum)
      expect(budget.rules).toBeLessThanOrEqual(LANE_BYTES.rules)
    }
    // law 14
    expect(context.carries.filter(({ tries }) => tries > 3)).toEqual([])
    expect(Object.values(context.gates).filter(({ heldWaves }) => heldWaves.length > HELD_WAVES_CAP)).toEqual([])
  }
}

test(
  'budgets, verdicts and gates hold over random histories',
  () => {
    fc.assert(
      fc.property(profiles, fc.boolean(), fc.array(step, { maxLength: 60 }), (profile, isToldOfStart, history) => {
        const play = new Play(profile, isToldOfStart)
        for (const action of history) play.take(action)
      }),
      { numRuns: HISTORIES },
    )
  },
  LIMIT_MS,
)

test(
  'law 8: after any history, and whatever the records say, no gate holds a call for good',
  () => {
    fc.assert(
      fc.property(
        profiles,
        fc.array(step, { maxLength: 40 }),
        fc.array(step, { maxLength: 8 }),
        fc.boolean(),
        (profile, history, noise, tellsEnd) => {
          const play = new Play(profile, true)
          for (const action of history) play.take(action)
          const gated = play.entries.filter((one) => one.mustKnow)
          // noise that arms gates anew is another epoch or another entry; everything else may come between
          const between = noise.filter((action) => !['compact', 'gone', 'edit', 'call'].includes(action.do))
          let held = 0
          for (;;) {
            const decision = play.call(gated)
            if (decision.reply.kind !== 'deny') break
            held += 1
            if (held > gated.length * HELD_WAVES_CAP + 1) expect.fail('held for good')
            play.bed.handed(decision)
            for (const action of between) play.take(action)
            if (tellsEnd) play.bed.batchEnd('any')
            else play.bed.now += 121_000
          }
        },
      ),
      // each one is played on until nothing is held
      { numRuns: Math.ceil(HISTORIES / 2) },
    )
  },
  LIMIT_MS,
)
