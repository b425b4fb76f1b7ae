/**
 * Steps that are committed and wait to be put into their tables.
 *
 * A moment touches some fifteen trees of the file, a page of each; as one row of the backlog it costs a tenth of that, and what is put
 * away together shares its pages. What waits is as safe as what is put away: a server that was killed finds it here when it starts.
 */
import type { ContextState } from '../../core/context.ts'
import type { ContextId, DeliveryId, Millis, SessionId } from '../../core/id.ts'
import type { ThreadState } from '../../host.ts'
import type { Before, State, Step } from '../../state.ts'
import { addStep, answeredIn, batchFrom, newBatch, textOf, type At, type Batch, type StoredStep } from './batch.ts'
import { Recent } from './recent.ts'
import { readAnswer, readContext, readOrigin, readThread } from './rows.ts'
import type { Statements } from './statements.ts'

/** Contexts, and threads, whose state is kept ready: parsing a busy one again and again costs more than all else. */
const MOST_RECENT = 1_000

export interface WaitingBatch {
  readonly number: number
  readonly batch: Batch
  /** An earlier process committed it: it was not counted here. */
  readonly isOld: boolean
}

interface Answered {
  readonly answer: string | null
  readonly at: Millis
  readonly context: ContextId
  readonly session: SessionId
}

export class Backlog {
  readonly #statements: Statements
  readonly #contexts = new Recent<ContextId, ContextState>(MOST_RECENT)
  readonly #threads = new Recent<SessionId, ThreadState>(MOST_RECENT)
  readonly #answered = new Map<DeliveryId, Answered>()
  #waiting: WaitingBatch[] = []
  #size = 0
  /** What the open transaction has gathered. */
  #open = newBatch()
  #openNumber: number | null = null

  /** Takes over what an earlier process left. */
  constructor(statements: Statements) {
    this.#statements = statements
    for (const row of statements.backlog.all()) {
      // what can't be read was changed by other hands: its row goes, as one with nothing in it
      const batch = batchFrom(String(row['steps'])) ?? newBatch()
      this.#wait({ number: Number(row['number']), batch, isOld: true })
    }
  }

  /** Steps that wait. */
  get size(): number {
    return this.#size
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  context(context: ContextId): ContextState | null {
    const known =
      this.#open.contexts.get(context)?.state ??
      this.#contexts.get(context) ??
      this.#waiting.findLast(({ batch }) => batch.contexts.has(context))?.batch.contexts.get(context)?.state
    if (known !== undefined) return known
    const found = readContext(this.#statements, context)
    if (found !== null) this.#contexts.set(context, found)
    return found
  }

  thread(session: SessionId): ThreadState | null {
    const known =
      this.#open.threads.get(session)?.state ??
      this.#threads.get(session) ??
      this.#waiting.findLast(({ batch }) => batch.threads.has(session))?.batch.threads.get(session)?.state
    if (known !== undefined) return known
    const found = readThread(this.#statements, session)
    if (found !== null) this.#threads.set(session, found)
    return found
  }

  replay(delivery: DeliveryId): Before['replay'] {
    const known = answeredIn(this.#open, delivery) ?? this.#answered.get(delivery)
    return known === undefined ? readAnswer(this.#statements, delivery) : { answer: known.answer, at: known.at }
  }

  origin(delivery: DeliveryId): ReturnType<State['contextOf']> {
    const known = answeredIn(this.#open, delivery)?.step ?? this.#answered.get(delivery)
    return known === undefined ? readOrigin(this.#statements, delivery) : { context: known.context, session: known.session }
  }

  /** Gathers what a step gave, for the transaction that is open or about to be. */
  add(at: At, step: Step<unknown>, now: Millis): void {
    addStep(this.#open, at, step, now)
  }

  /** Writes what was gathered as one row, within the open transaction. */
  write(): void {
    if (this.#open.steps.length === 0) return
    this.#openNumber = Number(this.#statements.addToBacklog.run(textOf(this.#open)).lastInsertRowid)
  }

  committed(): void {
    if (this.#openNumber !== null) this.#wait({ number: this.#openNumber, batch: this.#open, isOld: false })
    this.rolledBack()
  }

  rolledBack(): void {
    this.#open = newBatch()
    this.#openNumber = null
  }

  /** The oldest batches, of at most so many steps, though at least one batch. */
  oldest(steps: number): readonly WaitingBatch[] {
    let left = steps
    let count = 0
    for (const { batch } of this.#waiting) {
      if (count > 0 && batch.steps.length > left) break
      left -= batch.steps.length
      count += 1
    }
    return this.#waiting.slice(0, count)
  }

  /** They stand in their tables, and no longer here. */
  wasPutAway(batches: readonly WaitingBatch[]): void {
    this.#waiting = this.#waiting.slice(batches.length)
    this.#size -= batches.reduce((sum, { batch }) => sum + batch.steps.length, 0)
    for (const { moment } of batches.flatMap(({ batch }) => batch.steps)) if (moment !== undefined) this.#answered.delete(moment.delivery)
  }

  /** Rows were deleted: what is kept ready may be gone. */
  forget(): void {
    this.#contexts.clear()
    this.#threads.clear()
  }

  #wait(waiting: WaitingBatch): void {
    this.#waiting.push(waiting)
    this.#size += waiting.batch.steps.length
    const { steps, contexts, threads } = waiting.batch
    for (const [context, { state }] of contexts) this.#contexts.set(context, state)
    for (const [session, { state }] of threads) this.#threads.set(session, state)
    for (const step of steps) if (step.moment !== undefined) this.#answered.set(step.moment.delivery, answeredBy(step, step.moment))
  }
}

function answeredBy({ context, session }: StoredStep, { answer, at }: NonNullable<StoredStep['moment']>): Answered {
  return { answer, at, context, session }
}
