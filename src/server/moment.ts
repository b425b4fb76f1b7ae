/** `POST /contextmd/v1/moment`: a harness's event in, the harness's own hook answer out, within the deadline whatever happens. */
import type { Handler } from 'hono'
import { id, type DeliveryId } from '../core/id.ts'
import { MISSED_CAUSES } from '../core/fact.ts'
import type { Engine, MomentAnswer, MomentRequest } from '../engine/engine.ts'
import type { HeaderOf } from './access.ts'
import type { ServerEnv } from './app.ts'
import { readJson, type Body } from './body.ts'
import { refusal, respond, type Answer, type FailureCode } from './failure.ts'
import { harnessIn } from './harness-name.ts'
import { watchHandover, type HandedOver } from './handover.ts'

/** Hooks give up after 1 s; an answer that comes later is a call that passed unseen. The engine keeps the same time; this is the net below it. */
export const DEADLINE_MS = 700

/** As a person writes "no" into CONTEXTMD_OFF, or as a harness sends the variable when it may not read it. */
const NOT_OFF = /^(|0|no|false|off|\$.*)$/i

const DELIVERY = /^[\x21-\x7e]{1,200}$/
/** What may stand in a header. */
const PRINTABLE = /^[\x20-\x7e]+$/

/** Fixed texts for health, one per way in which a body can't be read. */
export const NOT_ANALYSED: Partial<Record<FailureCode, string>> = {
  body_too_large: 'larger than 8 MB',
  body_too_nested: 'nested too deeply, or made of too many parts',
  body_not_json: 'not JSON',
  body_empty: 'empty',
  body_incomplete: 'broken off',
}

const NOTHING: Answer = { status: 204, headers: {} }

type Taken =
  | { readonly kind: 'refused'; readonly failure: FailureCode }
  | { readonly kind: 'answered'; readonly answer: MomentAnswer }
  | { readonly kind: 'late' }

/** One call as this route looks at it, whichever server stands at the door. */
export interface MomentCall {
  readonly header: HeaderOf
  /** Null where the address names none. */
  readonly harness: string | null
  body(): Promise<Body>
  /** Null where it can't be seen. */
  readonly handedOver: Promise<HandedOver> | null
}

/** Lets the engine answer, or says within the time that there is nothing. Throws what nobody foresaw. */
export type TakeMoment = (call: MomentCall) => Promise<Answer>

/** `report` gets what failed after the answer was already out. */
export function momentTaker(engine: Engine, deadlineMs: number, report: (thrown: unknown) => void): TakeMoment {
  return async ({ header, harness, handedOver, ...call }) => {
    const arrived = performance.now()
    if (harness === null) return refusal('harness_missing')
    const delivery = header('contextmd-delivery') || null
    if (delivery !== null && !DELIVERY.test(delivery)) return refusal('delivery_invalid')
    const off = saysOff(header)
    const missed = missedIn(header('contextmd-missed'))

    let isLate = false
    let hasBody = false
    const take = async (): Promise<Taken> => {
      const body = await call.body()
      hasBody = true
      // Nothing may be reserved for a reply that went out empty already.
      if (isLate) return { kind: 'late' }
      if (!body.ok) return { kind: 'refused', failure: body.failure }
      const request = { harness, event: body.value, delivery: delivery === null ? null : id<DeliveryId>(delivery), off, missed, arrived }
      return { kind: 'answered', answer: await engine.moment(request) }
    }

    const taking = take()
    const taken = await withDeadline<Taken>(taking, deadlineMs, { kind: 'late' })
    switch (taken.kind) {
      case 'late':
        isLate = true
        if (!hasBody) {
          engine.countNotAnalysed(harness, 'not there in time')
          engine.countMissed(harness, missed)
        }
        taking.then((late) => late.kind === 'answered' && dropLate(engine, late.answer)).catch(report)
        return NOTHING
      case 'refused': {
        const why = NOT_ANALYSED[taken.failure]
        if (why !== undefined) engine.countNotAnalysed(harness, why)
        engine.countMissed(harness, missed)
        return refusal(taken.failure)
      }
      case 'answered':
        return answerOf(taken.answer, (delivery) => handedOver?.then((outcome) => engine.settleSoon(delivery, outcome)).catch(report))
      default:
        return taken satisfies never
    }
  }
}

/** In a server that speaks in requests and responses as `fetch` does. */
export function momentRoute(take: TakeMoment): Handler<ServerEnv> {
  return async (c) => {
    const header: HeaderOf = (name) => c.req.header(name)
    return respond(c, await take({ header, harness: harnessIn(c), body: () => readJson(c.req.raw), handedOver: watchHandover(c.env) }))
  }
}

/** More than a client counts between two moments. */
const MOST_MISSED = 100

/** `timed-out=2 refused=1`: what a client that counts could not post. Unknown causes are passed over. */
function missedIn(header: string | undefined): NonNullable<MomentRequest['missed']> {
  if (header === undefined) return []
  return MISSED_CAUSES.flatMap((cause) => {
    const times = Number(new RegExp(`(?:^| )${cause}=(\\d{1,9})(?: |$)`).exec(header)?.[1] ?? 0)
    return times === 0 ? [] : [{ cause, times: Math.min(times, MOST_MISSED) }]
  })
}

/** The client's environment says `CONTEXTMD_OFF`. */
export function saysOff(header: HeaderOf): boolean {
  return !NOT_OFF.test(header('contextmd-off')?.trim() ?? '')
}

/** `late` in place of what was not there in time. */
export async function withDeadline<T>(taking: Promise<T>, deadlineMs: number, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, late)
  })
  try {
    return await Promise.race([taking, over])
  } finally {
    clearTimeout(timer)
  }
}

function answerOf(given: MomentAnswer, settleLater: (delivery: DeliveryId) => void): Answer {
  if (!given.ok) return refusal('not_an_event', given.why)
  const { delivery, answer } = given
  if (delivery !== null) settleLater(delivery)
  // An id made of the event's own may hold what no header can.
  const headers: Answer['headers'] = delivery !== null && PRINTABLE.test(delivery) ? { 'contextmd-delivery': delivery } : {}
  return answer.status === 204 ? { status: 204, headers } : { status: 200, headers, body: answer.body }
}

/** What the engine reserved for a reply that nobody waits for any more goes back. */
export function dropLate(engine: Engine, late: MomentAnswer): void {
  if (late.ok && late.delivery !== null) engine.settle(late.delivery, 'dropped')
}
