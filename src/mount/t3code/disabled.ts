/**
 * In place of the engine where it could not be opened: every call passes, and health says why (S1).
 *
 * It imports nothing but types, so that it answers also where the rest of the package can't be loaded (a Node that is too old).
 */
import type { Inside, Obstacle } from './inside.ts'

const HEALTH = '/contextmd/v1/health'

/** `isOpen`: nobody can be asked who calls, so the reason is told to everyone; it is a fixed text then. */
export function disabledInside(obstacle: Obstacle, isOpen: boolean): Inside {
  return {
    async fetch(request, call) {
      if (new URL(request.url).pathname !== HEALTH || request.method !== 'GET') return new Response(null, { status: 204 })
      const told = { state: 'disabled', problems: [{ severity: 'error', ...obstacle }] }
      if (isOpen) return Response.json(told)
      if (!request.headers.has('authorization')) return Response.json({ state: 'disabled' })
      const asked = await call.ask()
      if (asked.kind !== 'known') return Response.json({ error: 'unauthorized' }, { status: 401 })
      if (!asked.caller.scopes.includes('orchestration:read')) {
        return Response.json({ error: 'scope orchestration:read required' }, { status: 403 })
      }
      return Response.json(told)
    },
    close: async () => {},
  }
}
