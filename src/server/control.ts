/** `POST /contextmd/v1/control`: a person switches serving off and on, lifts gates, forgets a thread. A person is always stronger than a rule. */
import type { Handler } from 'hono'
import { z } from 'zod'
import { id, type EntryId, type Millis, type ThreadId } from '../core/id.ts'
import type { OpenedEngine } from '../engine/logbook.ts'
import type { ServerEnv } from './app.ts'
import { readJson } from './body.ts'
import { refuse } from './failure.ts'

/** A control is a few short fields. */
const MAX_CONTROL_BYTES = 64 * 1024
/** A year: longer is off for good, which is said by leaving the minutes out. */
const MAX_OFF_MINUTES = 366 * 24 * 60

const thread = z
  .string()
  .min(1)
  .transform((text) => id<ThreadId>(text))

const Control = z.discriminatedUnion('action', [
  z.object({ action: z.literal('off'), minutes: z.number().positive().max(MAX_OFF_MINUTES).optional() }),
  z.object({ action: z.literal('on') }),
  z.object({
    action: z.literal('lift'),
    entry: z
      .string()
      .min(1)
      .transform((text) => id<EntryId>(text)),
    thread: thread.optional(),
  }),
  z.object({ action: z.literal('forget'), thread }),
])

/** Answers with the state after it: `{state, offUntil}`; a lift also with how many gates it lifted, a forget with whether there was anything. */
export function controlRoute(engine: OpenedEngine, now: () => Millis): Handler<ServerEnv> {
  return async (c) => {
    const body = await readJson(c.req.raw, MAX_CONTROL_BYTES)
    if (!body.ok) return refuse(c, body.failure)
    const control = Control.safeParse(body.value)
    if (!control.success) return refuse(c, 'body_invalid')
    const wish = control.data
    switch (wish.action) {
      case 'off':
        engine.off(wish.minutes === undefined ? null : now() + wish.minutes * 60_000)
        return c.json(stateOf(engine))
      case 'on':
        engine.on()
        return c.json(stateOf(engine))
      case 'lift':
        return c.json({ ...stateOf(engine), lifted: engine.lift(wish.entry, wish.thread) })
      case 'forget':
        return c.json({ ...stateOf(engine), forgotten: await engine.logbook.forget(wish.thread) })
      default:
        return wish satisfies never
    }
  }
}

function stateOf(engine: OpenedEngine) {
  const { state, offUntil } = engine.health()
  return { state, offUntil }
}
