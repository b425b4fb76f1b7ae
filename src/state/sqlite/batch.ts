/** Steps that are committed together, and what they leave behind: the last state of each context and thread. */
import type { ContextState } from '../../core/context.ts'
import type { ContextId, DeliveryId, Millis, SessionId } from '../../core/id.ts'
import type { ThreadState } from '../../host.ts'
import type { Before, Step } from '../../state.ts'

export interface At {
  readonly context: ContextId
  readonly session: SessionId
  readonly parent?: SessionId
  readonly delivery?: DeliveryId
}

/** What a step writes besides the states of its context and thread. */
export type StoredStep = Pick<Step<unknown>, 'moment' | 'claims' | 'gates' | 'obedience'> & {
  readonly context: ContextId
  readonly session: SessionId
  /** The step knew its thread: the thread's counters grow with the moment. */
  readonly hasThread: boolean
}

export interface Batch {
  readonly steps: StoredStep[]
  readonly contexts: Map<ContextId, { readonly session: SessionId; readonly state: ContextState }>
  readonly threads: Map<SessionId, { readonly state: ThreadState; readonly at: Millis }>
}

export function newBatch(): Batch {
  return { steps: [], contexts: new Map(), threads: new Map() }
}

export function addStep(batch: Batch, { context, session }: At, step: Step<unknown>, at: Millis): void {
  const { moment, claims, gates, obedience } = step
  batch.steps.push({
    context,
    session,
    hasThread: step.thread !== undefined,
    ...(moment !== undefined && { moment }),
    ...(claims !== undefined && { claims }),
    ...(gates !== undefined && { gates }),
    ...(obedience !== undefined && { obedience }),
  })
  if (step.context !== undefined) batch.contexts.set(context, { session, state: step.context })
  if (step.thread !== undefined) batch.threads.set(session, { state: step.thread, at })
}

/** A delivery that was answered in it; undefined if none of that id was. */
export function answeredIn(batch: Batch, delivery: DeliveryId): (Before['replay'] & { readonly step: StoredStep }) | undefined {
  const step = batch.steps.find(({ moment }) => moment?.delivery === delivery)
  return step?.moment === undefined ? undefined : { answer: step.moment.answer, at: step.moment.at, step }
}

export function textOf({ steps, contexts, threads }: Batch): string {
  return JSON.stringify({ steps, contexts: [...contexts], threads: [...threads] })
}

/** Null for what other hands made of it: one row that nobody wrote must not keep a state from being opened (S1). */
export function batchFrom(text: string): Batch | null {
  try {
    const { steps, contexts, threads } = JSON.parse(text) as Record<keyof Batch, unknown>
    if (!isListOf(steps, isStep) || !isListOf(contexts, isStateOf) || !isListOf(threads, isStateOf)) return null
    // as textOf wrote it
    return { steps, contexts: new Map(contexts), threads: new Map(threads) } as Batch
  } catch {
    return null
  }
}

function isListOf<T>(list: unknown, isOne: (one: unknown) => one is T): list is T[] {
  return Array.isArray(list) && list.every(isOne)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isStep(step: unknown): step is StoredStep {
  return isObject(step) && typeof step['context'] === 'string' && typeof step['session'] === 'string'
}

function isStateOf(pair: unknown): pair is [string, { state: object }] {
  return Array.isArray(pair) && typeof pair[0] === 'string' && isObject(pair[1]) && isObject(pair[1]['state'])
}
