/** A reply in the making: what fits into the answer and the budget, as claims with their rows. */
import { bytesLeft, charge } from './budget.ts'
import type { Claim } from './claim.ts'
import { costOf, fullText, joined, marked, noteText, pointerText, type Framing } from './compose.ts'
import type { Carry, ContextState } from './context.ts'
import type { Entry } from './entry.ts'
import { id, type ClaimId, type EntryId } from './id.ts'
import type { Question } from './decide.ts'
import type { Outcome } from './outcome.ts'
import type { Limit } from './profile.ts'
import type { CandidateRow } from './row.ts'
import { sizeIn } from './text.ts'

export interface Candidate {
  readonly entry: Entry
  readonly item: number
}

export type Form = 'text' | 'pointer' | 'note'

/** What became of an attempt to put a text in: `answer` is full for now, `budget` can't hold it at all, `long` no answer can. */
export type Fit = 'fits' | 'answer' | 'budget' | 'long'

/** What one answer can hold, and how it is put together. */
export interface Frame {
  readonly limit: Limit | null
  readonly framing: Framing
}

export class Reservation {
  readonly question: Question
  readonly rows: CandidateRow[]
  readonly frame: Frame
  readonly #notes = new Map<EntryId, Entry>()
  readonly #texts: string[] = []
  readonly #claims: Claim[] = []
  #context: ContextState

  constructor(context: ContextState, question: Question, frame: Frame, rows: readonly CandidateRow[] = []) {
    this.#context = context
    this.question = question
    this.frame = frame
    this.rows = [...rows]
  }

  /** The context with all that was reserved so far. */
  get context(): ContextState {
    return { ...this.#context, claims: [...this.#context.claims, ...this.#claims] }
  }

  /** What no reservation changes: cheaper to ask for each of many entries. */
  get standing(): Pick<ContextState, 'known' | 'wave' | 'epoch'> {
    return this.#context
  }

  /** True once a claim was made in it. */
  get hasClaim(): boolean {
    return this.#claims.length > 0
  }

  get text(): string {
    return joined(this.#texts, this.frame.framing)
  }

  /** Entries whose text must stand in a note before the reply goes out. */
  get notes(): readonly Entry[] {
    return [...this.#notes.values()]
  }

  /** True once a text is in it. */
  get hasText(): boolean {
    return this.#texts.length > 0
  }

  log(candidate: Candidate, outcome: Outcome, claim: Claim | null = null): void {
    const { entry, item } = candidate
    this.rows.push({
      entry: entry.id,
      entryHash: entry.hash,
      outcome,
      claim: claim?.id ?? null,
      ...(claim !== null && { form: claim.form }),
      lane: 'rules',
      bytes: claim?.bytes ?? 0,
      item,
    })
  }

  /** Keeps what waits for a later seam. */
  keep(carries: readonly Carry[]): void {
    this.#context = { ...this.#context, carries }
  }

  /** Notes that the agent goes without this text, to see what it does then. */
  withhold({ id: entry, hash, obeyedWhen, violatedWhen }: Entry): void {
    const { run } = this.question
    const isWatched = obeyedWhen.length > 0 || violatedWhen.length > 0
    const { occasions } = this.#context
    if (!isWatched || occasions.some((one) => one.entry === entry && one.claim === null && one.run === run)) return
    this.#context = { ...this.#context, occasions: [...occasions, { claim: null, entry, hash, run }] }
  }

  logCarry({ entry, hash, item }: Carry, outcome: Outcome): void {
    this.rows.push({ entry, entryHash: hash, outcome, claim: null, lane: 'rules', bytes: 0, item })
  }

  /** Tries to put an entry's text in, or only a pointer to its file, or to its note. Reserves and charges it when it fits. */
  put(candidate: Candidate, form: Form, role: Claim['role']): { readonly fit: Fit; readonly claim: Claim | null } {
    const { entry } = candidate
    const body = this.#body(entry, form)
    const claimId = this.#nextId()
    const text = marked(claimId, entry, body, this.frame.framing)
    const fit = this.#fit(text)
    if (fit !== 'fits') return { fit, claim: null }
    // a pointer entry's own text is an order to read: showing it lifts nothing
    const isPointing = form !== 'text' || entry.read.length > 0
    const bytes = costOf(text, !this.hasText, this.frame.framing)
    const claim = this.#claim(claimId, entry, isPointing ? 'pointer' : 'text', role, bytes, body)
    if (form === 'note') this.#notes.set(entry.id, entry)
    this.#texts.push(text)
    this.#context = { ...this.#context, budget: charge(this.#budget(), 'rules', bytes) }
    return { fit, claim }
  }

  #body(entry: Entry, form: Form): string {
    switch (form) {
      case 'text':
        return fullText(entry)
      case 'pointer':
        return pointerText(entry)
      case 'note':
        return noteText(this.question.noteOf(entry))
      default:
        return form satisfies never
    }
  }

  /** A deny beside another call of the wave that carries the text: nothing to prove, only to count when it was handed over. */
  stub(candidate: Candidate, role: Claim['role']): Claim {
    return this.#claim(this.#nextId(), candidate.entry, 'stub', role, 0, '')
  }

  #fit(text: string): Fit {
    const { limit, framing } = this.frame
    if (limit === null) return 'long'
    const size = (texts: readonly string[]) => sizeIn(limit.unit, joined(texts, framing))
    if (size([text]) > limit.max) return 'long'
    if (costOf(text, !this.hasText, framing) > bytesLeft(this.#budget(), 'rules')) return 'budget'
    if (size([...this.#texts, text]) > limit.max) return 'answer'
    return 'fits'
  }

  #budget() {
    return this.#context.budget ?? { run: this.question.run, epoch: this.#context.epoch, rules: 0, router: 0 }
  }

  #nextId(): ClaimId {
    return id<ClaimId>(`${this.question.mark}.${this.#claims.length + 1}`)
  }

  #claim(claim: ClaimId, entry: Entry, form: Claim['form'], role: Claim['role'], bytes: number, body: string): Claim {
    const { moment, delivery, run, now, recordsFrom, hashOf, profile } = this.question
    const made: Claim = {
      id: claim,
      delivery,
      entry: entry.id,
      entryHash: entry.hash,
      textHash: hashOf(body),
      form,
      role,
      lane: 'rules',
      bytes,
      run,
      epoch: this.#context.epoch,
      wave: this.#context.wave.number,
      seq: this.#context.seq,
      place: {
        moment: moment.kind,
        event: moment.event,
        call: 'call' in moment ? moment.call.id : null,
        way: role === 'plain' ? 'context' : profile.denyText,
      },
      state: 'reserved',
      at: now,
      recordsFrom,
      failedLooks: 0,
      ...(profile.hostProves === true && role !== 'plain' && form !== 'stub' ? { byHost: true as const } : {}),
      isWatched: entry.obeyedWhen.length > 0 || entry.violatedWhen.length > 0,
    }
    this.#claims.push(made)
    return made
  }
}
