import { expect, test } from 'vitest'
import { temporaryPaths } from '../server/with-server.fixture.ts'
import { openTokens } from '../state/tokens.ts'
import { run } from './run.fixture.ts'

test('a token is issued, shown once on stdout alone, listed without it, and revoked', async () => {
  const paths = temporaryPaths()
  const env = { CONTEXTMD_DATA: paths.data }
  const tokens = openTokens(paths.tokens, { now: () => Date.now() })

  const issued = await run(['token', 'issue', '--name', 'ci', '--scope', 'log:read', '--scope', 'control', '--days', '7'], env)
  expect(issued.code).toBe(0)
  const token = issued.out.trim()
  expect(token).toMatch(/^cmd_[\w-]+$/)
  expect(issued.err).not.toContain(token)
  expect([tokens.check(token, 'log:read'), tokens.check(token, 'control'), tokens.check(token, 'orchestration:read')]).toEqual([
    'ok',
    'ok',
    'no-scope',
  ])

  const listed = await run(['token', 'list'], env)
  expect(listed.out).toMatch(/^[0-9a-f]+ {2}ci {2}log:read, control {2}good until .+\n$/)
  expect(listed.out).not.toContain(token)
  const [info] = JSON.parse((await run(['token', 'list', '--json'], env)).out) as [{ id: string }] // as tokens.list gives it
  expect(JSON.stringify(info)).not.toMatch(/hash|cmd_/)

  expect(await run(['token', 'revoke', info.id], env)).toMatchObject({ code: 0 })
  expect(tokens.check(token, 'log:read')).toBe('revoked')
  expect((await run(['token', 'list'], env)).out).toContain('revoked')
  expect(await run(['token', 'revoke', 'nothing'], env)).toMatchObject({ code: 1, err: expect.stringContaining('contextmd token list') })
})

test('without a wish it posts moments for a year', async () => {
  const paths = temporaryPaths()
  const { out } = await run(['token', 'issue'], { CONTEXTMD_DATA: paths.data })
  const inMonths = openTokens(paths.tokens, { now: () => Date.now() + 364 * 86_400_000 })
  expect(inMonths.check(out.trim(), 'orchestration:read')).toBe('ok')
  expect(inMonths.check(out.trim(), 'log:read')).toBe('no-scope')
})

test('without tokens the list says where they come from', async () => {
  expect((await run(['token', 'list'], { CONTEXTMD_DATA: temporaryPaths().data })).out).toContain('contextmd setup')
})
