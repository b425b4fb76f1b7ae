/** Settles of one turn of the event loop, context by context: a wave of calls writes its context once, not once a call. */
import type { ContextId, DeliveryId, SessionId } from '../core/id.ts'

export interface Handover {
  readonly delivery: DeliveryId
  readonly outcome: 'handed' | 'dropped'
}

export interface HandoverOptions {
  readonly contextOf: (delivery: DeliveryId) => { readonly context: ContextId; readonly session: SessionId } | null
  readonly settle: (at: { readonly context: ContextId; readonly session: SessionId }, handovers: readonly Handover[]) => void
  readonly onError: (error: unknown) => void
}

export class Handovers {
  readonly #options: HandoverOptions
  #waiting: Handover[] = []

  constructor(options: HandoverOptions) {
    this.#options = options
  }

  add(handover: Handover): void {
    if (this.#waiting.push(handover) === 1) setImmediate(() => this.flush())
  }

  flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    const { contextOf, settle, onError } = this.#options
    const groups = new Map<ContextId, { session: SessionId; handovers: Handover[] }>()
    try {
      for (const handover of waiting) {
        const at = contextOf(handover.delivery)
        if (at === null) continue
        const group = groups.get(at.context)
        if (group === undefined) groups.set(at.context, { session: at.session, handovers: [handover] })
        else group.handovers.push(handover)
      }
      for (const [context, { session, handovers }] of groups) settle({ context, session }, handovers)
    } catch (error) {
      // what is not settled is released after its window
      onError(error)
    }
  }
}
