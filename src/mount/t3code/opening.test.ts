import { Context, Effect } from 'effect'
import { expect, test } from 'vitest'
import { StateError } from '../../state.ts'
import type { Inside } from './inside.ts'
import { openOrDisable } from './opening.ts'
import type { HostServices } from './services.ts'

const SERVICES: HostServices = {
  authenticate: () => Effect.fail('nobody'),
  stateDir: '/home/dev/.t3/userdata',
  sql: { unsafe: () => ({ withoutTransform: Effect.succeed([]) }) },
}
const CALL = { ask: async () => ({ kind: 'missing' }) as const, socket: null }
const moment = () => new Request('http://127.0.0.1/contextmd/v1/moment', { method: 'POST', body: '{}' })

test('what could not be opened is tried again when moments come, a while later, and closed in the end', async () => {
  let clock = 0
  const opened: string[] = []
  let isTaken = true
  let isOpen = (): void => {}
  const opening = new Promise<void>((resolve) => (isOpen = resolve))
  const engine: Inside = {
    fetch: async () => new Response('served'),
    close: async () => void opened.push('closed'),
  }
  const open = async () => {
    opened.push(isTaken ? 'taken' : 'open')
    if (isTaken) throw new StateError('taken', 'Another server has it. Use that one.')
    queueMicrotask(isOpen)
    return engine
  }
  const inside = await openOrDisable(SERVICES, Context.empty(), open, () => clock)
  const status = async () => (await inside.fetch(moment(), CALL)).status
  clock = 4_999
  expect(await status()).toBe(204)
  expect(opened).toEqual(['taken'])
  isTaken = false
  clock = 5_000
  // the moment that sees to it does not wait for it
  expect(await status()).toBe(204)
  await opening
  await new Promise<void>((resolve) => setImmediate(resolve))
  expect(await status()).toBe(200)
  await inside.close()
  expect(opened).toEqual(['taken', 'open', 'closed'])
})

test('S1: what fails in an unknown way tells its kind, and nothing of what it failed on', async () => {
  const open = () => Promise.reject(Object.assign(new TypeError('a secret'), { code: 'ERR_UNKNOWN_BUILTIN_MODULE' }))
  const inside = await openOrDisable(SERVICES, Context.empty(), open)
  const caller = { id: 's', scopes: ['orchestration:read'], expiresAt: null }
  const health = new Request('http://127.0.0.1/contextmd/v1/health', { headers: { authorization: 'Bearer x' } })
  const text = await (await inside.fetch(health, { ...CALL, ask: async () => ({ kind: 'known', caller }) })).text()
  expect(JSON.parse(text)).toMatchObject({ state: 'disabled', problems: [{ code: 'not_opened' }] })
  expect(text).toContain('TypeError (ERR_UNKNOWN_BUILTIN_MODULE)')
  expect(text).not.toContain('secret')
})
