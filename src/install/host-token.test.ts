import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Paths } from '../paths.ts'
import { openTokens } from '../state/tokens.ts'
import { writeHookFiles } from './hook-scripts.ts'
import { goodHookToken, hookTokensIn, issueHookToken, renewHookToken, withHostToken } from './hook-token.ts'
import { forgetHostToken, hostTokenFileIn, keepHostToken, readHostToken } from './host-token.ts'
import { renewTokens } from './keep-tokens.ts'

describe('a token of a host', () => {
  const NOW = 1_000_000
  const HOST = {
    base: '/home/dev/.t3',
    stateDir: '/home/dev/.t3/userdata',
    port: 3773,
    token: 'of-the-host',
    issuedAt: NOW,
    expiresAt: NOW + 30 * 86_400_000,
    session: 's',
    hooksStarted: true,
  }

  function dataFolder(): Pick<Paths, 'data' | 'tokens' | 'hooks' | 'ownToken'> {
    const data = mkdtempSync(join(tmpdir(), 'contextmd-host-token-'))
    onTestFinished(() => rmSync(data, { recursive: true, force: true }))
    return { data, tokens: join(data, 'tokens.json'), hooks: join(data, 'hooks'), ownToken: join(data, 'own-token') }
  }

  test('stands in for one of our own where hooks post into a host, and no other is good there', () => {
    const paths = dataFolder()
    const own = openTokens(paths.tokens, { now: () => NOW })
    const ours = issueHookToken(own, 'grok')
    expect(hookTokensIn(paths, () => NOW)).toMatchObject({ host: null })
    keepHostToken(paths.data, HOST)
    const { tokens, host } = hookTokensIn(paths, () => NOW)
    expect(host).toEqual(HOST)
    expect(goodHookToken(tokens, [ours])).toBeNull()
    expect(issueHookToken(tokens, 'grok')).toBe(HOST.token)
    expect(goodHookToken(tokens, [ours, HOST.token])).toBe(HOST.token)
    expect(renewHookToken(tokens, HOST.token, NOW)).toBe(false)
    expect(hookTokensIn(paths, () => HOST.expiresAt).tokens.check(HOST.token, 'orchestration:read')).toBe('expired')
    // asked for a server beside, whatever is kept
    expect(hookTokensIn(paths, () => NOW, null).tokens.check(ours, 'orchestration:read')).toBe('ok')
  })

  test('is taken by a server beside for moments only, and not renewed by it', () => {
    const paths = dataFolder()
    let now = NOW
    const tokens = withHostToken(openTokens(paths.tokens, { now: () => now }), paths.data, () => now)
    expect(tokens.check(HOST.token, 'orchestration:read')).toBe('unknown')
    keepHostToken(paths.data, HOST)
    writeHookFiles(paths.hooks, HOST.token, 'grok')
    expect(tokens.check(HOST.token, 'orchestration:read')).toBe('ok')
    expect(tokens.check(HOST.token, 'control')).toBe('no-scope')
    expect(tokens.check('of-nobody', 'orchestration:read')).toBe('unknown')
    now = HOST.expiresAt - 1
    expect(renewTokens({ paths, tokens, now: () => now })).toBe(0)
    expect(readHostToken(paths.data)).toEqual(HOST)
    now = HOST.expiresAt
    expect(tokens.check(HOST.token, 'orchestration:read')).toBe('expired')
    forgetHostToken(paths.data)
    expect(tokens.check(HOST.token, 'orchestration:read')).toBe('unknown')
  })

  test('a file that is broken or half written is none', () => {
    const paths = dataFolder()
    for (const text of ['', '{', '{"token":"x"}', JSON.stringify({ ...HOST, token: 'two words' })]) {
      writeFileSync(hostTokenFileIn(paths.data), text)
      expect(readHostToken(paths.data)).toBeNull()
    }
  })
})
