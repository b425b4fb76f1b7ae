/** Builders for tests of the core: entries, moments, a profile, and a context that is driven through moments. */
import { createHash } from 'node:crypto'
import { newContext, type ContextState } from './context.ts'
import { decide, type Decision } from './decide.ts'
import type { Entry } from './entry.ts'
import type { Fact } from './fact.ts'
import {
  contextIdOf,
  id,
  type CallId,
  type ClaimId,
  type DeliveryId,
  type EntryId,
  type RunId,
  type SessionId,
  type TextHash,
} from './id.ts'
import { judge, type Judged, type Look } from './judge.ts'
import type { BatchCall, Moment, SessionSource } from './moment.ts'
import { observe, type GateOfFile } from './observe.ts'
import type { Profile } from './profile.ts'
import { expire, settle, type Settled } from './settle.ts'

export const hashOf = (text: string): TextHash => id<TextHash>(createHash('sha256').update(text).digest('hex'))

export function entry(name: string, over: Partial<Omit<Entry, 'id'>> = {}): Entry {
  const text = over.text ?? `Text of ${name}.`
  return {
    id: id<EntryId>(name),
    title: name,
    file: `/home/dev/rules/${name}.md`,
    store: 'test',
    when: [{ command: ['git commit'] }],
    mustKnow: false,
    forbid: false,
    read: [],
    scope: {},
    repeat: 'epoch',
    priority: 0,
    carryToStop: false,
    holdout: false,
    expires: null,
    hash: hashOf(text),
    obeyedWhen: [],
    violatedWhen: [],
    ...over,
    text,
  }
}

const INJECT = { unit: 'utf16', max: 9_500 } as const

export const profile: Profile = {
  name: 'claude-code',
  title: 'Claude Code',
  proven: { from: '2.1.332', to: '2.1.332' },
  seams: {
    'session-start': { inject: INJECT, deny: false },
    prompt: { inject: INJECT, deny: false },
    'before-tool': { inject: INJECT, deny: true },
    'after-tool': { inject: INJECT, deny: false },
    'batch-end': { inject: INJECT, deny: false },
    'subagent-start': { inject: INJECT, deny: false },
  },
  denyText: 'context',
  tellsBatchEnd: true,
}

/** As in a harness whose deny holds a few hundred characters, and that does not tell the end of a wave. */
export const compactReason: Profile = {
  ...profile,
  denyText: 'reason',
  denyReason: { unit: 'utf16', max: 250 },
  tellsBatchEnd: false,
  announcesAllFirst: true,
}

/** As in a harness that takes no text at session start and prompt, and some at the stop. */
export const lateSeams: Profile = {
  ...profile,
  seams: {
    'before-tool': { inject: INJECT, deny: true },
    stop: { inject: INJECT, deny: false },
  },
}

/** What stands behind the stub in a deny's reason. */
export function textInReason(reason: string): string {
  const end = reason.indexOf('\n')
  return end === -1 ? '' : reason.slice(end + 1)
}

const session = id<SessionId>('s1')

/** One context and its clock, driven as the engine would drive it. */
export class Bed {
  now = 1_000_000
  run = id<RunId>('run#1')
  profile: Profile = profile
  /** Entries that carries are looked up in. */
  carried: Entry[] = []
  context: ContextState = newContext(contextIdOf('claude-code', session, null), 1_000_000)
  claimRows: { claim: ClaimId; verdict: string }[] = []
  gateRows: { entry: EntryId; lift: string }[] = []
  #number = 0
  #files = new Map<string, GateOfFile[]>()

  /** A file that bears on a gate; of an edited entry the last one counts. */
  file(path: string, gate: GateOfFile): void {
    const others = (this.#files.get(path) ?? []).filter(({ entry: other }) => other !== gate.entry)
    this.#files.set(path, [...others, gate])
  }

  #base(event: string) {
    this.#number += 1
    return {
      harness: 'claude-code' as const,
      session,
      agent: null,
      context: this.context.id,
      event,
      deliveryId: id<DeliveryId>(`d${this.#number}`),
      turn: null,
      cwd: '/home/dev/project',
      records: '/home/dev/.claude/projects/p/s1.jsonl',
      at: this.now,
    }
  }

  #ask(moment: Moment, entries: readonly Entry[], reads: readonly string[] = [], packAsked = false): Decision {
    this.now += 10
    const gatesOf = (path: string) => this.#files.get(path) ?? []
    const expired = expire(this.context, this.now)
    this.#log(expired)
    const seen = observe(expired.context, moment, {
      run: this.run,
      reads,
      loaded: [],
      gatesOf,
      announcesAllFirst: this.profile.announcesAllFirst === true,
    })
    this.#log({ gates: seen.gates, claims: [] })
    const decision = decide(seen.context, {
      moment,
      candidates: entries.map((candidate) => ({ entry: candidate, item: 0 })),
      carried: new Map([...this.carried, ...entries].map((one) => [one.id, one])),
      profile: this.profile,
      run: this.run,
      delivery: moment.deliveryId ?? id<DeliveryId>('none'),
      mark: `m${this.#number}`,
      packAsked,
      noteOf: (one) => `/n/${one.id}.md`,
      holdout: false,
      now: this.now,
      recordsFrom: 0,
      hashOf,
    })
    this.context = decision.context
    return decision
  }

  start(source: SessionSource, entries: readonly Entry[] = []): Decision {
    return this.#ask(
      { ...this.#base('SessionStart'), kind: 'session-start', source },
      entries,
      [],
      source !== 'resume' && source !== 'fork',
    )
  }

  prompt(entries: readonly Entry[] = []): Decision {
    return this.#ask({ ...this.#base('UserPromptSubmit'), kind: 'prompt', text: '', machineMade: false }, entries)
  }

  #call(call: string) {
    return { id: id<CallId>(call), tool: 'shell', harnessTool: 'Bash', command: 'git commit', cwd: '/home/dev/project', paths: [] }
  }

  before(entries: readonly Entry[], call = `call${this.#number}`): Decision {
    return this.#ask({ ...this.#base('PreToolUse'), kind: 'before-tool', call: this.#call(call) }, entries)
  }

  /** A call that the harness only tells of. */
  told(entries: readonly Entry[], call = `call${this.#number}`): Decision {
    return this.#ask({ ...this.#base('told'), kind: 'before-tool', call: this.#call(call), noSeam: true }, entries)
  }

  after(entries: readonly Entry[], call: string, reads: readonly string[] = []): Decision {
    const result = { state: 'ok' as const, output: '' }
    return this.#ask({ ...this.#base('PostToolUse'), kind: 'after-tool', call: this.#call(call), result }, entries, reads)
  }

  batchEnd(...calls: string[]): Decision {
    const ended = calls.map((call): BatchCall => ({ id: id<CallId>(call), output: '' }))
    return this.#ask({ ...this.#base('PostToolBatch'), kind: 'batch-end', calls: ended }, [])
  }

  stop(): Decision {
    return this.#ask({ ...this.#base('Stop'), kind: 'stop', again: false }, [])
  }

  handed(decision: Decision): Settled['result'] {
    return this.settle(decision, 'handed')
  }

  settle(decision: Decision, outcome: 'handed' | 'dropped'): Settled['result'] {
    if (decision.reply.kind === 'nothing') return 'unknown'
    const expired = expire(this.context, this.now)
    this.#log(expired)
    const settled = settle(expired.context, decision.reply.delivery, outcome, this.now)
    this.context = settled.context
    this.#log(settled)
    return settled.result
  }

  judge(facts: readonly Fact[], over: Partial<Look> = {}): Judged {
    const judged = judge(this.context, {
      facts,
      answeredSeq: null,
      now: this.now,
      gatesOf: (path) => this.#files.get(path) ?? [],
      claimed: [],
      ...over,
    })
    this.context = judged.context
    this.#log(judged)
    return judged
  }

  /** The text of every claim of the decision stood whole, and the model answered. */
  shown(decision: Decision): void {
    this.judge(claimsOf(decision).map((claim) => ({ kind: 'claim', claim, found: 'whole', answered: true })))
  }

  #log(rows: Pick<Judged, 'claims' | 'gates'>): void {
    this.claimRows.push(...rows.claims)
    this.gateRows.push(...rows.gates)
  }
}

export function claimsOf(decision: Decision): readonly ClaimId[] {
  return decision.rows.flatMap((row) => (row.claim === null ? [] : [row.claim]))
}

export function outcomes(decision: Decision): Record<string, string> {
  return Object.fromEntries(decision.rows.map((row) => [row.entry, row.outcome]))
}
