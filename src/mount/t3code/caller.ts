/**
 * Who calls, as the host says: the host's bearer tokens and its scopes, nothing of our own.
 *
 * A cookie is not taken: it comes with every request of a page, and the host answers pages of any origin. So the request must carry
 * `Authorization: Bearer`, with a capital B as the host wants it, and what the host knows must not come from a browser's session.
 */
import { Effect, Exit, type Context } from 'effect'
import type { HostRequest } from './effect-http.ts'
import type { Authenticate } from './services.ts'

/** What a call needs: reading is what hooks and readers do, the other changes what agents are held by. */
export type HostScope = 'orchestration:read' | 'orchestration:operate'

/** A host that does not say in this time who calls is not waited for: hooks give up after 1 s, and the moment itself takes its time too. */
const ASK_MS = 500

export interface Caller {
  readonly id: string
  readonly scopes: readonly string[]
  /** Milliseconds since 1970; null if the token tells none. */
  readonly expiresAt: number | null
}

export type Asked =
  | { readonly kind: 'known'; readonly caller: Caller }
  /** No bearer token in the request. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused' }
  /** The host did not say in time. */
  | { readonly kind: 'late' }

/** Never rejects: a check that fails in any way is a refusal. */
export async function askHost(
  authenticate: Authenticate,
  request: HostRequest,
  context: Context.Context<never>,
  waitMs = ASK_MS,
): Promise<Asked> {
  if (!/^Bearer \S/.test(request.headers['authorization'] ?? '')) return { kind: 'missing' }
  const asking = Effect.suspend(() => authenticate(request)).pipe((asked) => Effect.provideContext(asked, context))
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, waitMs, null)
  })
  const giveUp = new AbortController()
  const exit = await Promise.race([Effect.runPromiseExit(asking, { signal: giveUp.signal }), late])
  clearTimeout(timer)
  if (exit === null) {
    // a check that hangs must not stay behind, one for each call
    giveUp.abort()
    return { kind: 'late' }
  }
  const caller = Exit.isSuccess(exit) ? callerFrom(exit.value) : null
  return caller === null ? { kind: 'refused' } : { kind: 'known', caller }
}

/** Null for what is no session, or one that a browser's cookie stands for. */
function callerFrom(session: unknown): Caller | null {
  if (typeof session !== 'object' || session === null) return null
  const { sessionId, scopes, method, expiresAt } = session as Record<string, unknown>
  if (method === 'browser-session-cookie') return null
  const listed = scopes instanceof Set ? [...scopes] : Array.isArray(scopes) ? scopes : []
  return {
    id: typeof sessionId === 'string' ? sessionId : '',
    scopes: listed.filter((scope) => typeof scope === 'string'),
    expiresAt: millisFrom(expiresAt),
  }
}

/** A time as hosts write it: Effect's `DateTime`, a `Date`, ISO text or milliseconds. */
function millisFrom(time: unknown): number | null {
  const value = typeof time === 'object' && time !== null && 'epochMilliseconds' in time ? time.epochMilliseconds : time
  if (typeof value !== 'number' && typeof value !== 'string' && !(value instanceof Date)) return null
  const millis = new Date(value).getTime()
  return Number.isNaN(millis) ? null : millis
}
