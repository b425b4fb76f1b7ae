/** `POST /contextmd/v1/evidence`: the verdict of a client that sees what the model is sent. Never any text. */
import type { Handler } from 'hono'
import { z } from 'zod'
import { id, type DeliveryId } from '../core/id.ts'
import type { Engine } from '../engine/engine.ts'
import type { ServerEnv } from './app.ts'
import { readJson } from './body.ts'
import { refuse } from './failure.ts'

/** A verdict is two short fields. */
const MAX_EVIDENCE_BYTES = 64 * 1024

const Evidence = z.strictObject({
  delivery: z
    .string()
    .min(1)
    .transform((text) => id<DeliveryId>(text)),
  verdict: z.enum(['shown', 'hidden', 'cut']),
})

/** 204; 403 where the harness is proven by its own records; 404 for a delivery that is unknown, or judged already. */
export function evidenceRoute(engine: Engine): Handler<ServerEnv> {
  return async (c) => {
    const body = await readJson(c.req.raw, MAX_EVIDENCE_BYTES)
    if (!body.ok) return refuse(c, body.failure)
    const evidence = Evidence.safeParse(body.value)
    if (!evidence.success) return refuse(c, 'body_invalid')
    const judged = engine.evidence(evidence.data.delivery, evidence.data.verdict)
    switch (judged) {
      case 'judged':
        return c.body(null, 204)
      case 'refused':
        return refuse(c, 'evidence_refused')
      case 'unknown':
        return refuse(c, 'delivery_unknown')
      default:
        return judged satisfies never
    }
  }
}
