import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startChild, type Child } from './sqlite/child.fixture.ts'
import { TokensError, openTokens, type Tokens } from './tokens.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const HOOKS = { name: 'claude-code', scopes: ['orchestration:read'], days: 30 } as const

interface Opened {
  readonly file: string
  readonly clock: { now: number }
  readonly tokens: Tokens
  /** The same file in another process. */
  readonly again: () => Tokens
}

function open(): Opened {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-tokens-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'data', 'tokens.json')
  const clock = { now: 1_000 }
  const again = (): Tokens => openTokens(file, { now: () => clock.now })
  return { file, clock, tokens: again(), again }
}

test('a token is good for its scopes and for nothing else', () => {
  const { tokens } = open()
  const { token } = tokens.issue(HOOKS)
  expect(tokens.check(token, 'orchestration:read')).toBe('ok')
  expect(tokens.check(token, 'control')).toBe('no-scope')
  for (const other of ['', 'cmd_', token.slice(0, -1), `${token}x`, token.toUpperCase(), 'x'.repeat(10_000)]) {
    expect(tokens.check(other, 'orchestration:read')).toBe('unknown')
  }
})

test('it is 32 random bytes with a prefix, shown once, hashed at rest', () => {
  const { file, tokens } = open()
  const { id, token, expiresAt } = tokens.issue(HOOKS)
  expect(token).toMatch(/^cmd_[A-Za-z0-9_-]{43}$/)
  expect(readFileSync(file, 'utf8')).not.toContain(token.slice(4))
  expect(tokens.list()).toEqual([{ id, name: 'claude-code', scopes: ['orchestration:read'], issuedAt: 1_000, expiresAt, revokedAt: null }])
  expect(expiresAt).toBe(1_000 + 30 * DAY_MS)
})

test('the bytes come from the given source', () => {
  const { file } = open()
  const tokens = openTokens(file, { now: () => 0, random: (bytes) => new Uint8Array(bytes).fill(7) })
  const token = `cmd_${Buffer.alloc(32, 7).toString('base64url')}`
  expect(tokens.issue(HOOKS)).toMatchObject({ id: '07070707', token })
})

test('the file is private, in a private folder, and nothing is left beside it but its lock', () => {
  const { file, tokens } = open()
  tokens.issue(HOOKS)
  tokens.issue(HOOKS)
  const modes = [dirname(file), file, `${file}.lock`].map((path) => (statSync(path).mode & 0o777).toString(8))
  expect(modes).toEqual(['700', '600', '600'])
  expect(statSync(`${file}.next`, { throwIfNoEntry: false })).toBeUndefined()
})

test('what another process issued or revoked counts at the next question', () => {
  const { tokens, again } = open()
  const { id, token } = again().issue(HOOKS)
  expect(tokens.check(token, 'orchestration:read')).toBe('ok')
  expect(again().revoke(id)).toBe(true)
  expect(tokens.check(token, 'orchestration:read')).toBe('revoked')
})

test('T4: of tokens that two processes issue at the same time none is lost', async () => {
  const { file, tokens } = open()
  const children = [1, 2].map(() => startChild('../issues-tokens.fixture.ts', [file, '8']))
  const issued = await Promise.all(children.map(allLines))
  expect(tokens.list()).toHaveLength(16)
  expect(issued.flat().map((token) => tokens.check(token, 'control'))).toEqual(Array.from({ length: 16 }, () => 'ok'))
})

test('a revoked token stays in the list with the time of its first revocation; an unknown one is told', () => {
  const { tokens, clock } = open()
  const { id } = tokens.issue(HOOKS)
  tokens.revoke(id)
  clock.now += 5
  expect([tokens.revoke(id), tokens.revoke('nobody')]).toEqual([true, false])
  expect(tokens.list()[0]?.revokedAt).toBe(1_000)
})

describe('T15: a token that runs out', () => {
  test('is refused from that instant', () => {
    const { tokens, clock } = open()
    const { token, expiresAt } = tokens.issue(HOOKS)
    clock.now = expiresAt - 1
    expect(tokens.check(token, 'orchestration:read')).toBe('ok')
    clock.now = expiresAt
    expect(tokens.check(token, 'orchestration:read')).toBe('expired')
  })

  test('is told 7 days before, and when it has', () => {
    const { tokens, clock } = open()
    const { expiresAt } = tokens.issue(HOOKS)
    clock.now = expiresAt - 7 * DAY_MS
    expect(tokens.problems()).toEqual([])
    clock.now += 1
    expect(tokens.problems()).toEqual([
      expect.objectContaining({ code: 'token_runs_out', severity: 'warning', message: expect.stringContaining('in 7 days') }),
    ])
    clock.now = expiresAt
    expect(tokens.problems()).toEqual([expect.objectContaining({ code: 'token_ran_out', severity: 'error' })])
  })

  test('is told no more once it was revoked, or renewed under its name', () => {
    const { tokens, clock } = open()
    const { expiresAt } = tokens.issue(HOOKS)
    const { id } = tokens.issue({ ...HOOKS, name: 'by hand' })
    clock.now = expiresAt
    expect(tokens.problems()).toHaveLength(2)
    tokens.issue(HOOKS)
    tokens.revoke(id)
    expect(tokens.problems()).toEqual([])
  })
})

describe('a file that is not as it should be', () => {
  const broken = ['', '{', '[]', '{"version":2,"tokens":[]}', '{"version":1,"tokens":[{"id":"x"}]}', '\0\0\0']
  for (const content of broken) {
    test(`makes no token valid and says so: ${JSON.stringify(content)}`, () => {
      const { file, tokens } = open()
      const { token } = tokens.issue(HOOKS)
      writeFileSync(file, content)
      expect(tokens.check(token, 'orchestration:read')).toBe('unknown')
      expect(tokens.list()).toEqual([])
      expect(tokens.problems()).toEqual([expect.objectContaining({ code: 'tokens_broken', severity: 'error', file })])
    })
  }

  test('is not written over', () => {
    const { file, tokens } = open()
    tokens.issue(HOOKS)
    writeFileSync(file, 'mine')
    expect(() => tokens.issue(HOOKS)).toThrow(TokensError)
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test('counts again when it was mended', () => {
    const { file, tokens } = open()
    const { token } = tokens.issue(HOOKS)
    const good = readFileSync(file)
    writeFileSync(file, '{')
    expect(tokens.check(token, 'orchestration:read')).toBe('unknown')
    writeFileSync(file, good)
    expect(tokens.check(token, 'orchestration:read')).toBe('ok')
  })

  test('an empty folder in its place is told', () => {
    const { file, tokens } = open()
    mkdirSync(file, { recursive: true })
    expect(tokens.problems()).toEqual([expect.objectContaining({ code: 'tokens_broken' })])
  })

  test('a missing one holds no token and is no problem', () => {
    const { tokens } = open()
    expect([tokens.list(), tokens.problems(), tokens.check('cmd_x', 'control')]).toEqual([[], [], 'unknown'])
  })
})

async function allLines(child: Child): Promise<readonly string[]> {
  const lines: string[] = []
  for (let line = await child.line(); line !== null; line = await child.line()) lines.push(line)
  return lines
}
