/** The harness that a request names in its address. Whether there is such a harness is the engine's to say. */
import type { Context } from 'hono'
import type { ServerEnv } from './app.ts'

/** Names are counted in health, so that an odd one must not fill it. */
const HARNESS_NAME = /^[a-z][a-z0-9-]{0,31}$/

export function harnessIn(c: Context<ServerEnv>): string | null {
  return harnessNamed(c.req.query('harness') ?? null)
}

export function harnessNamed(name: string | null): string | null {
  return name !== null && HARNESS_NAME.test(name) ? name : null
}
