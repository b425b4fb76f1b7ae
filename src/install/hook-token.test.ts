import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTokens, SCOPES } from '../state/tokens.ts'
import { agentTokenFile, goodAgentToken, issueAgentToken, retireAgentToken } from './agent-token.ts'
import { writeHookFiles } from './hook-scripts.ts'
import { goodHookToken, hookTokenName, issueHookToken, renewHookToken, retireHookTokens } from './hook-token.ts'
import { keepTokens, renewTokens } from './keep-tokens.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-hook-token-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = { now: 0 }
  const paths = { data: folder, hooks: join(folder, 'hooks'), ownToken: join(folder, 'own-token') }
  const tokens = openTokens(join(folder, 'tokens.json'), { now: () => clock.now })
  return { clock, paths, tokens, now: () => clock.now }
}

test('T15: a server that runs renews the tokens that our hooks show, long before they run out, and the secret stays', () => {
  const { clock, paths, tokens, now } = place()
  const token = issueHookToken(tokens, 'codex')
  writeHookFiles(paths.hooks, token, 'codex')
  expect(renewTokens({ paths, tokens, now })).toBe(0)
  for (let month = 1; month <= 60; month += 1) {
    clock.now = month * 30 * DAY_MS
    renewTokens({ paths, tokens, now })
    expect(tokens.check(token, 'orchestration:read')).toBe('ok')
  }
  expect(tokens.problems()).toEqual([])
  expect(tokens.list()).toHaveLength(1)
})

test('T15: the token of agents is renewed too; once it is retired, it is revoked and its file is gone', () => {
  const { clock, paths, tokens, now } = place()
  const token = issueAgentToken(tokens, paths.data, 'grok')
  expect(statSync(agentTokenFile(paths.data, 'grok')).mode & 0o777).toBe(0o600)
  clock.now = 350 * DAY_MS
  expect(renewTokens({ paths, tokens, now })).toBe(1)
  clock.now = 400 * DAY_MS
  expect(goodAgentToken(tokens, paths.data, 'grok')).toBe(token)
  // it can do nothing else
  expect(Object.keys(SCOPES).filter((scope) => tokens.check(token, scope as keyof typeof SCOPES) === 'ok')).toEqual(['entries:read'])
  expect(retireAgentToken(tokens, paths.data, 'grok')).toBe(true)
  expect(tokens.check(token, 'entries:read')).toBe('revoked')
  expect(existsSync(join(paths.data, 'agents'))).toBe(false)
})

test('the command line`s own token is renewed too', () => {
  const { clock, paths, tokens, now } = place()
  const { token } = tokens.issue({ name: 'command line', scopes: ['log:read', 'control'], days: 365 })
  writeFileSync(paths.ownToken, `${token}\n`)
  clock.now = 350 * DAY_MS
  expect(renewTokens({ paths, tokens, now })).toBe(1)
  clock.now = 400 * DAY_MS
  expect(tokens.check(token, 'control')).toBe('ok')
})

test('what stands in no file of ours, was revoked or has run out is not renewed', () => {
  const { clock, paths, tokens, now } = place()
  const { id } = tokens.issue({ name: 'by hand', scopes: ['orchestration:read'], days: 30 })
  const revoked = issueHookToken(tokens, 'codex')
  const expired = issueHookToken(tokens, 'grok')
  writeHookFiles(paths.hooks, revoked, 'codex')
  writeHookFiles(paths.hooks, expired, 'grok')
  retireHookTokens(tokens, 'codex')
  clock.now = 366 * DAY_MS
  expect(renewTokens({ paths, tokens, now })).toBe(0)
  expect(tokens.renew(id, 100)).toBe(false)
  expect(tokens.check(revoked, 'orchestration:read')).toBe('revoked')
  expect(tokens.check(expired, 'orchestration:read')).toBe('expired')
})

test('a renewal never makes a life shorter, and one that is not near its end stays as it is', () => {
  const { clock, tokens } = place()
  const { id, token, expiresAt } = tokens.issue({ name: 'x', scopes: ['orchestration:read'], days: 3_650 })
  expect(renewHookToken(tokens, token, 0)).toBe(false)
  expect(tokens.renew(id, 1)).toBe(true)
  expect(tokens.describe(token)?.expiresAt).toBe(expiresAt)
  clock.now = 3_600 * DAY_MS
  expect(renewHookToken(tokens, token, clock.now)).toBe(true)
  expect(tokens.describe(token)?.expiresAt).toBe((3_600 + 365) * DAY_MS)
  expect(tokens.describe('cmd_nobody')).toBeNull()
})

test('a tokens file that can`t be written is told, and ends nothing', () => {
  const { clock, paths, tokens, now } = place()
  const token = issueHookToken(tokens, 'grok')
  writeHookFiles(paths.hooks, token, 'grok')
  clock.now = 350 * DAY_MS
  mkdirSync(join(paths.hooks, '..', 'tokens.json.next'))
  const told: unknown[] = []
  keepTokens({ paths, tokens, now, onError: (thrown) => told.push(thrown) })()
  expect(told).toHaveLength(1)
  expect(tokens.check(token, 'orchestration:read')).toBe('ok')
})

test('the first good token is kept; each harness has its own name', () => {
  const { tokens } = place()
  const token = issueHookToken(tokens, 'claude-code')
  expect(goodHookToken(tokens, [null, 'cmd_nobody', token])).toBe(token)
  expect(goodHookToken(tokens, [null])).toBeNull()
  expect(retireHookTokens(tokens, 'codex')).toBe(false)
  expect(retireHookTokens(tokens, 'claude-code')).toBe(true)
  expect(goodHookToken(tokens, [token])).toBeNull()
  expect(hookTokenName('grok')).toBe('grok hooks')
})
