/** Random histories, answered by the core and by the slow model beside it: both must say the same, byte for byte. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { budgetFor, bytesLeft } from './budget.ts'
import { Bed, compactReason, entry, hashOf, lateSeams, profile, textInReason } from './core.fixture.ts'
import type { Decision } from './decide.ts'
import { mustDeny } from './deny.ts'
import type { Entry } from './entry.ts'
import { id, type RunId } from './id.ts'
import { Model, type Expected } from './model.fixture.ts'
import type { Profile } from './profile.ts'
import { bytesOf } from './text.ts'

/** Histories a run; `CONTEXTMD_HISTORIES` asks for more. */
const HISTORIES = Number(process.env['CONTEXTMD_HISTORIES'] ?? 4_000)
const LIMIT_MS = 300_000

const PAGES = ['/home/dev/wiki/page.md', '/home/dev/wiki/more.md']

const ENTRIES: readonly Entry[] = [
  entry('plain', { text: 'p'.repeat(300) }),
  entry('wide', { text: 'ä'.repeat(1_900) }),
  entry('long', { text: 'l'.repeat(9_600), priority: 2 }),
  entry('always', { repeat: 'always', text: 'a'.repeat(90) }),
  entry('per-run', { repeat: 'run', carryToStop: true, text: 'r'.repeat(120) }),
  entry('inline', { mustKnow: true, text: 'i'.repeat(100) }),
  entry('pointer', { mustKnow: true, read: PAGES, priority: 1, text: 'Two pages.' }),
  entry('fat', { mustKnow: true, text: 'f'.repeat(7_000) }),
  entry('never', { forbid: true, text: 'n'.repeat(110) }),
]

const IN_BYTES = { inject: { unit: 'bytes', max: 4_200 }, deny: false } as const

const PROFILES: Readonly<Record<string, Profile>> = {
  'text beside a deny': profile,
  'text inside a thrown reason, in bytes': {
    ...profile,
    seams: { prompt: IN_BYTES, 'session-start': IN_BYTES, 'after-tool': IN_BYTES, 'before-tool': { inject: null, deny: true } },
    denyText: 'reason',
    denyReason: { unit: 'bytes', max: 4_000 },
  },
  'a compact reason': compactReason,
  'no seam before the first call': lateSeams,
}

const some = fc.subarray(ENTRIES.map((_, index) => index))
const step = fc.oneof(
  fc.record({ do: fc.constant('prompt' as const), entries: some }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant('call' as const), entries: some }) },
  fc.record({
    do: fc.constant('after' as const),
    entries: some,
    reads: fc.constantFrom([], PAGES, PAGES.slice(0, 1), PAGES.slice(1), ['/home/dev/rules/fat.md']),
  }),
  // a whole round: the call, its answer handed over, the end of the batch, and what became of each text
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('round' as const),
      entries: some,
      found: fc.constantFrom('whole' as const, 'whole' as const, 'cut' as const, 'absent' as const, null),
    }),
  },
  fc.record({ do: fc.constant('batch-end' as const) }),
  fc.record({ do: fc.constant('stop' as const) }),
  fc.record({ do: fc.constant('new-run' as const) }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      which: fc.nat(2),
      outcome: fc.constantFrom('handed' as const, 'handed' as const, 'dropped' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fact' as const),
      which: fc.nat(9),
      found: fc.constantFrom('whole' as const, 'whole' as const, 'cut' as const, 'replaced' as const, 'absent' as const),
      answered: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant('look' as const) }),
  fc.record({ do: fc.constant('no-records' as const), really: fc.nat(9) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 2_001, 20_000, 121_000, -5_000) }),
  fc.record({ do: fc.constant('compact' as const), by: fc.constantFrom('moment' as const, 'records' as const), entries: some }),
  fc.record({ do: fc.constant('gone' as const) }),
  fc.record({ do: fc.constant('edit' as const), which: fc.nat(ENTRIES.length - 1) }),
)
type Action = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Plays a history on both sides. */
class Match {
  readonly bed = new Bed()
  readonly entries = [...ENTRIES]
  readonly model: Model
  readonly #decisions: Decision[] = []
  #calls = 0
  #edits = 0

  constructor(of: Profile) {
    this.bed.profile = of
    this.bed.carried = this.entries
    const now = (name: string) => () => this.entries.find((one) => one.id === name)!
    const files = [...PAGES, '/home/dev/rules/pointer.md'].map((path) => [path, now('pointer')] as const)
    this.model = new Model(of, new Map([...files, ['/home/dev/rules/fat.md', now('fat')]]), this.bed.now)
    this.model.current = (old) => now(old.id)()
    this.#nameFiles()
    this.#same(this.model.ask('session-start', [], this.bed.now), this.bed.start('startup'))
  }

  #nameFiles(): void {
    for (const [path, current] of this.model.files) {
      const { id: of, hash, read, file } = current()
      this.bed.file(path, { entry: of, hash, targets: read, own: [file] })
    }
  }

  #same(expected: Expected, decision: Decision): void {
    this.#decisions.push(decision)
    const { reply, rows } = decision
    const text = reply.kind === 'nothing' ? '' : reply.kind === 'serve' || reply.text !== '' ? reply.text : textInReason(reply.reason)
    expect({ kind: reply.kind, text, rows: rows.map((row) => ({ entry: row.entry, outcome: row.outcome, bytes: row.bytes })) }).toEqual(
      expected,
    )
    // law 2: what stands before the text in a deny is a stub, and free
    if (reply.kind === 'deny') expect(bytesOf(reply.reason.split('\n')[0] ?? '')).toBeLessThanOrEqual(160)
  }

  #pick(indexes: readonly number[]): Entry[] {
    return indexes.map((index) => this.entries[index]!)
  }

  take(action: Action): void {
    const { bed, model } = this
    switch (action.do) {
      case 'prompt':
        return this.#same(model.ask('prompt', this.#pick(action.entries), bed.now), bed.prompt(this.#pick(action.entries)))
      case 'call':
        this.#calls += 1
        return this.#same(
          model.ask('before-tool', this.#pick(action.entries), bed.now),
          bed.before(this.#pick(action.entries), `c${this.#calls}`),
        )
      case 'round':
        this.take({ do: 'call', entries: action.entries })
        this.take({ do: 'settle', which: 0, outcome: 'handed' })
        this.take({ do: 'batch-end' })
        if (action.found === null) return
        for (const _ of bed.context.claims) this.take({ do: 'fact', which: 0, found: action.found, answered: true })
        return
      case 'after': {
        const call = `c${this.#calls}`
        const { reads } = action
        return this.#same(
          model.ask('after-tool', this.#pick(action.entries), bed.now, { call, reads }),
          bed.after(this.#pick(action.entries), call, reads),
        )
      }
      case 'batch-end':
        return this.#same(model.ask('batch-end', [], bed.now, { call: `c${this.#calls}` }), bed.batchEnd(`c${this.#calls}`))
      case 'stop':
        return this.#same(model.ask('stop', [], bed.now), bed.stop())
      case 'new-run':
        model.run = `run#${model.seq + 1}`
        bed.run = id<RunId>(model.run)
        return
      case 'settle': {
        const decision = this.#decisions.filter(({ reply }) => reply.kind !== 'nothing').at(-1 - action.which)
        if (decision === undefined || decision.reply.kind === 'nothing') return
        model.settle(decision.reply.delivery, action.outcome, bed.now)
        bed.settle(decision, action.outcome)
        return
      }
      case 'fact': {
        const claim = bed.context.claims.at(-1 - action.which)
        if (claim === undefined) return
        model.judge(claim.id, action.found, action.answered)
        bed.judge([{ kind: 'claim', claim: claim.id, found: action.found, answered: action.answered }])
        return
      }
      case 'look':
        model.look(bed.now)
        bed.judge([], { answeredSeq: bed.context.answeredSeq })
        return
      case 'no-records':
        if (action.really > 0) return
        model.noRecords()
        bed.judge([{ kind: 'no-records' }])
        return
      case 'wait':
        bed.now += action.ms
        return
      case 'compact': {
        if (action.by === 'records') {
          model.compacted(`mark${model.seq}`)
          bed.judge([{ kind: 'compacted', mark: `mark${model.seq}` }])
          return
        }
        model.compact(bed.now)
        return this.#same(model.ask('session-start', this.#pick(action.entries), bed.now), bed.start('compact', this.#pick(action.entries)))
      }
      case 'gone': {
        const claim = Object.values(bed.context.known).find((known) => known.claim !== null)?.claim ?? null
        if (claim === null) return
        model.gone(claim)
        bed.judge([{ kind: 'gone', claims: [claim] }])
        return
      }
      case 'edit': {
        const old = this.entries[action.which]!
        this.#edits += 1
        const text = `${old.text.slice(0, 50)} edited ${this.#edits}`
        this.entries[action.which] = entry(old.id, { ...old, text, hash: hashOf(text) })
        this.#nameFiles()
        return
      }
      default:
        action satisfies never
    }
  }

  check(): void {
    const { bed, model } = this
    const { context } = bed
    expect(context.epoch).toBe(model.epoch)
    expect(bytesLeft(budgetFor(context, bed.run), 'rules')).toBe(model.left)
    expect(model.left).toBeGreaterThanOrEqual(0)
    const gated = this.entries.filter((one) => !one.forbid)
    expect(gated.filter((one) => mustDeny(context, one))).toEqual(gated.filter((one) => model.isArmed(one)))
    const open = model.claims.filter(({ state }) => state === 'reserved' || state === 'settled')
    expect(context.claims.map(({ id: claim, state }) => [claim, state])).toEqual(open.map(({ id: claim, state }) => [claim, state]))
    const closed = model.claims.filter(({ state }) => state !== 'reserved' && state !== 'settled' && state !== 'done')
    expect(new Map(bed.claimRows.map((row) => [row.claim as string, row.verdict]))).toEqual(
      new Map(closed.map(({ id: claim, state }) => [claim, state])),
    )
    expect(bed.claimRows).toHaveLength(closed.length)
  }
}

test.each(Object.entries(PROFILES))(
  'laws 1 to 15: what is denied, served, carried, charged, lifted and judged is what the slow model says: %s',
  (_, of) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (history) => {
        const match = new Match(of)
        for (const action of history) {
          match.take(action)
          match.check()
        }
      }),
      { numRuns: Math.ceil(HISTORIES / 4) },
    )
  },
  LIMIT_MS,
)
