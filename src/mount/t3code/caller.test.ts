import { Context, Effect } from 'effect'
import { expect, test } from 'vitest'
import { askHost } from './caller.ts'
import type { HostRequest } from './effect-http.ts'
import { newHostTokens } from './host-tokens.ts'
import { authenticate, isRefusal } from './world.fixture.ts'

/** A request that nobody reads a body of. */
const request = (headers: Record<string, string>) => ({ method: 'GET', url: '/', headers, source: {} }) as unknown as HostRequest

const host = (asked: HostRequest) => {
  const found = authenticate(asked.headers)
  return isRefusal(found) ? Effect.fail(found) : Effect.succeed(found)
}
const ask = (headers: Record<string, string>, answer = host) => askHost(answer, request(headers), Context.empty())

test('a bearer of the host is known, with its scopes', async () => {
  const asked = await ask({ authorization: 'Bearer t3_poster' })
  expect(asked).toEqual({ kind: 'known', caller: { id: 'poster', scopes: ['orchestration:read'], expiresAt: null } })
})

test.each([{}, { authorization: 'bearer t3_poster' }, { authorization: 'DPoP x' }, { cookie: 't3_session=good' }])(
  '%j is no bearer, whatever the host would say',
  async (headers) => {
    expect(await ask(headers as Record<string, string>)).toEqual({ kind: 'missing' })
  },
)

test('a cookie that the host takes first is refused, also beside a bearer', async () => {
  expect(await ask({ authorization: 'Bearer t3_nobody', cookie: 't3_session=good' })).toEqual({ kind: 'refused' })
})

test.each<[string, () => Effect.Effect<unknown, unknown>]>([
  ['fails', () => Effect.fail('no')],
  ['dies', () => Effect.die(new Error('broken'))],
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
  ['answers with something else', () => Effect.succeed('yes')],
])('a host that %s refuses', async (_, answer) => {
  const asked = await askHost(answer, request({ authorization: 'Bearer t3_poster' }), Context.empty())
  expect(asked).toEqual({ kind: 'refused' })
})

test('a host that does not answer is not waited for, and its check is ended', async () => {
  const { promise: isEnded, resolve: end } = Promise.withResolvers<void>()
  const hangs = () => Effect.never.pipe(Effect.onInterrupt(() => Effect.sync(end)))
  expect(await askHost(hangs, request({ authorization: 'Bearer t3_poster' }), Context.empty(), 1)).toEqual({ kind: 'late' })
  await isEnded
})

test.each<[unknown, number | null]>([
  [new Date(5_000), 5_000],
  [{ epochMilliseconds: 5_000 }, 5_000],
  ['1970-01-01T00:00:05.000Z', 5_000],
  [5_000, 5_000],
  [undefined, null],
  ['soon', null],
  [{}, null],
])('a time of %j is read as %s', async (expiresAt, millis) => {
  const answer = () => Effect.succeed({ sessionId: 's', scopes: new Set(['a']), expiresAt })
  const asked = await askHost(answer, request({ authorization: 'Bearer t3_poster' }), Context.empty())
  expect(asked).toEqual({ kind: 'known', caller: { id: 's', scopes: ['a'], expiresAt: millis } })
})

const DAY_MS = 24 * 60 * 60 * 1_000

test('T15: a token of the host that runs out in less than 7 days is told, and so is one that has run out, until nobody shows it any more', () => {
  let now = 0
  const tokens = newHostTokens(() => now)
  const told = () => tokens.problems().map(({ code, key }) => `${code} ${key}`)
  tokens.saw({ id: 'long', scopes: [], expiresAt: 30 * DAY_MS })
  tokens.saw({ id: 'never', scopes: [], expiresAt: null })
  tokens.saw({ id: 'short', scopes: [], expiresAt: 1.5 * DAY_MS })
  expect(told()).toEqual(['token_runs_out short'])
  expect(tokens.problems()[0]?.message).toContain('in 2 days')
  now = 1.6 * DAY_MS
  expect(told()).toEqual(['token_ran_out short'])
  now = 4 * DAY_MS
  expect(told()).toEqual([])
})

test('a token that was renewed is told no more', () => {
  const tokens = newHostTokens(() => 0)
  tokens.saw({ id: 's', scopes: [], expiresAt: DAY_MS })
  tokens.saw({ id: 's', scopes: [], expiresAt: 30 * DAY_MS })
  expect(tokens.problems()).toEqual([])
})

test('T15: hooks with a token that the host refuses are told by their harness, until none came for two days', () => {
  let now = 0
  const tokens = newHostTokens(() => now)
  tokens.refused('codex')
  // anybody on the machine may post such a name
  tokens.refused('an-agent-that-nobody-knows')
  expect(tokens.problems().map(({ code, key }) => `${code} ${key}`)).toEqual(['token_refused codex'])
  now = 2 * DAY_MS
  expect(tokens.problems()).toEqual([])
})
