/** `POST /contextmd/v1/settle`: for clients that queue a reply and say later whether they handed it over. */
import type { Handler } from 'hono'
import { z } from 'zod'
import { id, type DeliveryId } from '../core/id.ts'
import type { Engine } from '../engine/engine.ts'
import type { ServerEnv } from './app.ts'
import { readJson } from './body.ts'
import { refuse } from './failure.ts'

/** A settle is two short fields. */
const MAX_SETTLE_BYTES = 64 * 1024

const Settle = z.object({
  delivery: z
    .string()
    .min(1)
    .transform((text) => id<DeliveryId>(text)),
  outcome: z.enum(['handed', 'dropped']),
})

export function settleRoute(engine: Engine): Handler<ServerEnv> {
  return async (c) => {
    const body = await readJson(c.req.raw, MAX_SETTLE_BYTES)
    if (!body.ok) return refuse(c, body.failure)
    const settle = Settle.safeParse(body.value)
    if (!settle.success) return refuse(c, 'body_invalid')
    const settled = engine.settle(settle.data.delivery, settle.data.outcome)
    switch (settled) {
      case 'settled':
        return c.body(null, 204)
      case 'late':
        return refuse(c, 'settle_late')
      case 'unknown':
        return refuse(c, 'delivery_unknown')
      default:
        return settled satisfies never
    }
  }
}
